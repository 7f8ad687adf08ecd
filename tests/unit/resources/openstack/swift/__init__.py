"""Types of Swift, against a small one in this process."""
