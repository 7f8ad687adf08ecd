"""Software configs and deployments, and their publication."""
