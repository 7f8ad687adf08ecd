"""What things are in the world: read, compared, stored, told."""
