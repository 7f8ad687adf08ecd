"""Use cases, one noun or act a file; endpoints call them."""
