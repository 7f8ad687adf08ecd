"""The workers that live, and their metrics."""
