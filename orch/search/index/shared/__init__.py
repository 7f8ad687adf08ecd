"""The index of several processes: rows in a database, and local files."""
