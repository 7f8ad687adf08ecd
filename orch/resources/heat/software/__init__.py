"""Software on servers: configs, components and deployments."""
