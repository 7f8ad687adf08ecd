"""What answers look like: JSON schemas, beside the views that make them."""
