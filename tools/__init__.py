"""Scripts around the code: they are not part of the product."""
