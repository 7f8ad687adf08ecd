"""Events of a stack: lists, single events and the stream."""
