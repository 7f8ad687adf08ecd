"""The list of left-over physical resources, and how they are removed."""
