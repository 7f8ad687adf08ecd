"""What the house asks of its names, first lines and shapes."""
