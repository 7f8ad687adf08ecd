"""Virtual hosts are made several at a time, and are all removed."""

import itertools
import re

from tests import base
from tests.support import rabbit


class Ctl:
    """Notes what the broker was told.

    :ivar made: the names of each call that makes some
    :ivar removed: the names of each call that removes some
    """

    def __init__(self) -> None:
        self.made: list[list[str]] = []
        self.removed: list[list[str]] = []

    def __call__(self, act: str, *said: str, **more: object) -> None:
        if act == "eval":
            self.removed.append(re.findall(r'<<"(orch-test-\w+)">>', said[0]))
            return
        assert act == "import_definitions", act
        definitions = more["said"]
        assert isinstance(definitions, dict)
        self.made.append([each["name"] for each in definitions["vhosts"]])
        assert self.made[-1] == [
            each["vhost"] for each in definitions["permissions"]
        ]


class PoolTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.ctl = Ctl()
        self.pool = rabbit.Pool(self.ctl)

    def all(self) -> list[str]:
        """Return the names of all that the broker was told to make."""
        return list(itertools.chain.from_iterable(self.ctl.made))

    def test_nobody_gets_one_that_another_has(self) -> None:
        taken = [self.pool.take() for _ in range(40)]

        self.assertEqual(40, len(set(taken)))
        self.assertEqual(set(), set(taken) - set(self.all()))

    def test_more_are_made_at_a_time_where_more_are_used(self) -> None:
        for _ in range(17):
            self.pool.take()

        self.assertEqual([1, 1, 2, 4, 8, 8], list(map(len, self.ctl.made)))

    def test_all_that_were_made_are_removed_at_once(self) -> None:
        for _ in range(3):
            self.pool.take()

        self.pool.remove()

        self.assertEqual([self.all()], self.ctl.removed)

    def test_removing_again_or_nothing_asks_for_nothing(self) -> None:
        self.pool.remove()
        self.pool.take()
        self.pool.remove()
        self.pool.remove()

        self.assertEqual(1, len(self.ctl.removed))
