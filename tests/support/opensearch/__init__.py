"""A small OpenSearch: it speaks what we say to it and knows nothing of us."""
