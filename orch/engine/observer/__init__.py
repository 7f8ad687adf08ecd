"""Compare resources with reality, and repair what drifted."""
