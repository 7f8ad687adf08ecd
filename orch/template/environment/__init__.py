"""Environments: the registry, merging and the installed environment."""
