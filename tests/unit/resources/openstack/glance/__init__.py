"""Types of Glance, against a small one in this process."""
