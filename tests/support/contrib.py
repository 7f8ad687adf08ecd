"""Finds the tests of the packages in ``contrib``, to run them with Orch's.

Each package has its tests below itself, ``NAME.tests``, so that each test has
a name of its own.
"""

import pathlib
import unittest

_CONTRIB = pathlib.Path(__file__).parents[2] / "contrib"


def load_tests(loader: unittest.TestLoader, phase: str) -> unittest.TestSuite:
    """Return the tests that the packages have for a phase.

    :param loader: gets the errors of modules that cannot be imported
    """
    suite = unittest.TestSuite()
    for place in sorted(_CONTRIB.glob(f"*/*/tests/{phase}")):
        # A loader remembers the first top of all that it discovers.
        own = unittest.TestLoader()
        top = place.parents[2]
        suite.addTests(own.discover(str(place), top_level_dir=str(top)))
        loader.errors.extend(own.errors)
    return suite
