"""Call lifecycle plug-ins around operations; store holds and decisions."""
