"""Adopt, abandon and generate stacks; the document that carries a stack."""
