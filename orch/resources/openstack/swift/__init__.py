"""The resource types of Swift."""
