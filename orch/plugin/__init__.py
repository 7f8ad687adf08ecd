"""What authors of plug-ins import; nothing of the engine is behind it."""
