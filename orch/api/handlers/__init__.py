"""What each address does: one class a noun, its methods take a request."""
