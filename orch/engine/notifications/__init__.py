"""Complete and redact the payloads of notifications."""
