"""Resources of a stack: facts, lookup and health."""
