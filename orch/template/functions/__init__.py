"""The built-in template functions, one small class each."""
