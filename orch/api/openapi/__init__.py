"""The OpenAPI document of the API, made of its own tables and schemas."""
