"""Bodies of requests: what they must look like, and what they mean."""
