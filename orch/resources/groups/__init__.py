"""Groups: resources whose stack is made of members."""
