"""Parameters of a template: schema, types, constraints and values."""
