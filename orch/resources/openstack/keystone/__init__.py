"""The resource types of Keystone."""
