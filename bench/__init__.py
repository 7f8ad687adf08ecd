"""What Orch costs, measured; ``python -m bench`` runs all of it."""
