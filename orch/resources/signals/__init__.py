"""What the types that wait for signals share; no type itself."""
