"""Stacks: lists, details and the operations on them."""
