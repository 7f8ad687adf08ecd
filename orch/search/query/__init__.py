"""The language of queries: text or a map in, a tree of nodes out."""
