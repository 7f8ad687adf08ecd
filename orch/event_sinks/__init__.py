"""The built-in event sinks, loaded like those of other packages."""
