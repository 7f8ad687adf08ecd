"""The queries, one module a noun: connection in, model values out.

Whoever opened the transaction owns it. ``get`` raises where nothing is
found, ``find`` answers ``None``.
"""
