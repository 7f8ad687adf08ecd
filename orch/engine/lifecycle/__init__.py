"""Call lifecycle plug-ins around operations, and keep holds and decisions."""
