"""Tests on the real services of a control plane: see ``tools/cloud.py``."""
