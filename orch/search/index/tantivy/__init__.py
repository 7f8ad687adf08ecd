"""The index on Tantivy, filled from rows of a database."""
