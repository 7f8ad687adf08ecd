"""Snapshots of a stack: creation, restore, deletion."""
