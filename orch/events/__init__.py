"""Facts: event rows, the outbox, and how they reach the bus."""
