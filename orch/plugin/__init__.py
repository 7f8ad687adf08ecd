"""The interface for authors of plug-ins; it imports nothing of the engine."""
