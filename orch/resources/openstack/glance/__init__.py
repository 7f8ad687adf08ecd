"""The resource types of Glance."""
