"""Output for users: progress, trees, reports of errors, exit codes."""
