"""Orch, a distributed, worker-based orchestration engine."""
