"""What a running operation decides: plan, breakpoints, outcome, failures."""
