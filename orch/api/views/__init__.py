"""Facts of the engine, as the wire shows them."""
