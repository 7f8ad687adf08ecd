"""The resource types of Nova; ``server`` has a module for each concern."""
