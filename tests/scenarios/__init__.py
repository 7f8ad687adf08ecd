"""Stories of stacks, told in YAML and by chance; see README.md here."""
