"""Plan an operation from desired and existing state; values only, no I/O."""
