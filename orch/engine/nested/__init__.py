"""Resources that are stacks of their own: each runs operations of its own."""
