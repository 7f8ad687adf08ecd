"""Template text: the YAML reader, documents, values and patterns."""
