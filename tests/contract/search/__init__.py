"""What every index answers, whichever database keeps it.

A backend joins by a module of its own: a class of ``contract.Contract`` and
``base.TestCase`` with a ``make_index``.
"""
