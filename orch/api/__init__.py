"""The REST API: HTTP to the engine's bus and back, no state of its own."""
