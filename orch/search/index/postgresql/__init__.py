"""The index in PostgreSQL."""
