"""Writes the values of the client from the contract."""
