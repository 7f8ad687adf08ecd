"""Look up stacks and what can be read of them."""
