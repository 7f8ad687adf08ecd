"""Built-in resource types, one file each, found by entry point."""
