"""Software on servers: what is to be applied, and where."""
