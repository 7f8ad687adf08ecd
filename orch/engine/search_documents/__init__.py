"""Build the documents that search indexes."""
