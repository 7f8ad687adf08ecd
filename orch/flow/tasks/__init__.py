"""The atoms of a flow, one kind of change a file."""
