"""A source of Orch's search service: OpenStack Heat, over its REST API."""
