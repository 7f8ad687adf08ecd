"""The history of the tables: alembic's scripts, run by orch.db.migrate."""
