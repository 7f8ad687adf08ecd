"""The request context, from the API down to a plug-in."""
