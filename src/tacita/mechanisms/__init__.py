"""What more than one way of protecting uses."""
