"""A TaskFlow engine that starts each atom as soon as it is ready."""
