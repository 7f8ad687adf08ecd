"""The door to the database: tables, queries, migrations, transactions.

The only room that knows SQLAlchemy and oslo.db. Others open a transaction
with :class:`orch.db.engine.Database`, hand its connection to the functions
in :mod:`orch.db.repositories`, and get values of :mod:`orch.model` back,
never a row. Whoever opened the transaction owns it.
"""
