"""Pass signals and metadata of moved resources on to where they are."""
