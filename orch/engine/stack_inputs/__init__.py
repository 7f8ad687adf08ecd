"""Store and load the templates, files and environments of stacks."""
