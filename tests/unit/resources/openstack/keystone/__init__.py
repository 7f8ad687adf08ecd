"""Types of Keystone, against a small one in this process."""
