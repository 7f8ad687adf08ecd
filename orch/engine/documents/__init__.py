"""What a search may know of stacks: read in bulk, covered, made flat."""
