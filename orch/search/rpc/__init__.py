"""The RPC endpoints of search, and their requests."""
