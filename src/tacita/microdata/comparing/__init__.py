"""What risks and utilities share when they compare original with protected data."""
