"""Resources of a template: declarations, properties, types and order."""
