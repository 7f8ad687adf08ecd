"""Move resources from one stack to another."""
