"""Find the places in a stack that a secret may have reached."""
