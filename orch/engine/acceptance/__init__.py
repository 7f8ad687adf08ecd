"""Turn a request into an operation: quota, permissions, idempotency, locks."""
