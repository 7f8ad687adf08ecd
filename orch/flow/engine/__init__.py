"""A TaskFlow engine that starts each task as soon as it can run."""
