"""Types of Zun."""
