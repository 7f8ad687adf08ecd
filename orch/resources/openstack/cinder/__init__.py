"""The resource types of Cinder."""
