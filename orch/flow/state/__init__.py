"""The state of one running operation, and its writes to the database."""
