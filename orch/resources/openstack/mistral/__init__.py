"""Types of Mistral, which are more than data."""
