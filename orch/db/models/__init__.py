"""The tables, one module a group of nouns that are used together.

There are no foreign keys: each bulk row would cost a look-up and, on MySQL,
a shared lock on the stack's row, which deadlocks against the transactions
that count its events up. Rows of a stack go in one place, the purge.
"""
