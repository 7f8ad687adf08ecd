"""The base of all test cases: a time limit, and nothing left behind."""

import functools
import gc
import os
import pathlib

import fixtures
import futurist._thread
import hypothesis
import testtools

_LIMIT_S = 60

# How long an example takes says more of the machine than of the code.
hypothesis.settings.register_profile(
    "orch",
    deadline=None,
    suppress_health_check=(hypothesis.HealthCheck.too_slow,),
)
hypothesis.settings.load_profile("orch")

# Idle threads of servers of oslo.messaging look each second whether they are
# to end; who stops a server waits for that.
futurist._thread.ThreadWorker.MAX_IDLE_FOR = 0.05

# Nothing of what the modules of tests import is garbage: a fifth of the time
# of their imports is spent on looking. The first test turns it on again.
gc.disable()


@functools.cache
def _set_modules_aside() -> None:
    """Leave what is there before the first test to no garbage collector.

    A process has imported all modules of tests by then: to look through them
    takes a fifth of a second, each time that all generations are collected.
    """
    gc.collect()
    gc.freeze()
    gc.enable()


class TestCase(testtools.TestCase):
    """A test with a time limit and an empty directory of its own.

    A class that needs longer says so in ``limit_s``; the variable
    ``OS_TEST_TIMEOUT`` replaces both, 0 lifts the limit (for a debugger).
    """

    limit_s: int = _LIMIT_S

    def setUp(self) -> None:
        super().setUp()
        _set_modules_aside()
        limit_s = int(os.environ.get("OS_TEST_TIMEOUT", self.limit_s))
        if limit_s:
            self.useFixture(fixtures.Timeout(limit_s, gentle=True))

    def make_directory(self) -> pathlib.Path:
        """Return a new empty directory; it is removed after the test."""
        return pathlib.Path(self.useFixture(fixtures.TempDir()).path)
