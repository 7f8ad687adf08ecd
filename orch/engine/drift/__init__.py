"""Drift of a stack: report, acceptance, policy and template."""
