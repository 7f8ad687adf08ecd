"""Runs the unit tests of the packages in ``contrib`` with Orch's."""

import unittest

from tests.support import contrib


def load_tests(
    loader: unittest.TestLoader, _: unittest.TestSuite, __: str | None
) -> unittest.TestSuite:
    """Return these tests; this module has none of its own."""
    return contrib.load_tests(loader, "unit")
