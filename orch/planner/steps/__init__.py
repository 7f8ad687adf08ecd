"""The planning rules, one a file; ``planner.builder`` calls them in order."""
