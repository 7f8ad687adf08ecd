"""Claim operations from the database and see them through."""
