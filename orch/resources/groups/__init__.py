"""Groups: resources whose child stack is made of members."""
