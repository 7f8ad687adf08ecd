"""An oslo.messaging driver for services in one process."""
