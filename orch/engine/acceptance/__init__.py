"""Make an operation of a request: quota, permissions, idempotency, locks."""
