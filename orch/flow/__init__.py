"""A plan becomes a TaskFlow flow and runs; the only room with TaskFlow."""
