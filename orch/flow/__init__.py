"""Run a plan as a TaskFlow flow; the only room with TaskFlow."""
