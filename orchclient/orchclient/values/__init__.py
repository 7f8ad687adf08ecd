"""Values of answers of the service, and the methods that some have."""
