"""Keep the index in step with the engine."""
