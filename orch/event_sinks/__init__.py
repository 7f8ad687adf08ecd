"""The built-in event sinks, plug-ins like those of others."""
