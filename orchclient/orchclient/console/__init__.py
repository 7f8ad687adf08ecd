"""What people see: progress, trees, reports of errors, exit codes."""
