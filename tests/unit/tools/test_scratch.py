"""Tests write to memory where it has the capacity, or where they are told."""

import os
import pathlib

import fixtures

from tests import base
from tools import scratch


class ScratchTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.memory = self.make_directory()
        self.useFixture(fixtures.EnvironmentVariable("TMPDIR", None))

    def test_a_directory_for_all_users_goes_at_the_end(self) -> None:
        with scratch.environment(self.memory, capacity=1) as found:
            directory = pathlib.Path(found["TMPDIR"])
            (directory / "left").write_text("by a test")
            self.assertEqual(self.memory, directory.parent)
            self.assertEqual(0o1777, directory.stat().st_mode & 0o7777)

        self.assertEqual([], list(self.memory.iterdir()))

    def test_without_capacity_nothing_changes(self) -> None:
        with scratch.environment(self.memory, capacity=2**60) as found:
            self.assertEqual(dict(os.environ), found)

    def test_where_there_is_none_nothing_changes(self) -> None:
        with scratch.environment(self.memory / "none", capacity=1) as found:
            self.assertEqual(dict(os.environ), found)

    def test_a_directory_that_is_named_stays(self) -> None:
        self.useFixture(fixtures.EnvironmentVariable("TMPDIR", "/elsewhere"))

        with scratch.environment(self.memory, capacity=1) as found:
            self.assertEqual("/elsewhere", found["TMPDIR"])
