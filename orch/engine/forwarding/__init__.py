"""Forward signals and metadata of abandoned stacks to their new addresses."""
