"""What a history of answered queries determines, exactly."""
