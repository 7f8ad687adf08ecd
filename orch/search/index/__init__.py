"""Where documents are kept and found; each backend is a module below."""
