"""Validate templates, and describe the language and the resource types."""
