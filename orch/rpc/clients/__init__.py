"""Clients of the engine, one class a noun, thin and typed."""
