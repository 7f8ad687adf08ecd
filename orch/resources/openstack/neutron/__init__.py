"""The resource types of Neutron."""
