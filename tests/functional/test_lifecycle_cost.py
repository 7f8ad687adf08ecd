"""What plug-ins that do nothing cost, in statements and in CPU seconds."""

import itertools
import pathlib
import time
import typing

import fixtures
import sqlalchemy as sa
import yaml
from oslo_config import cfg
from sqlalchemy import event

from orch.db.models import stacks as tables
from tests import base
from tests.chaos import records
from tests.functional import test_nested_cost as nested

_PLUGINS = 10
_LARGE = 1000
_MOST_MORE = 0.05
_FEW, _MANY = 8, 40
_TRIES = 3


class System(nested.System):
    """Orch with plug-ins for roots that do nothing.

    :cvar count: how many of them
    """

    count: typing.ClassVar[int] = _PLUGINS

    def _options(self) -> cfg.ConfigOpts:
        conf = super()._options()
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        settings = directory / "settings.yaml"
        settings.write_text(
            yaml.safe_dump(
                {
                    f"orch-test-quiet:{number}": {}
                    for number in range(self.count)
                }
            ),
            encoding="utf-8",
        )
        conf.set_override("settings_file", str(settings), group="lifecycle")
        conf.set_override("max_resources_per_stack", -1)
        return conf


class BareSystem(System):
    """Orch without any."""

    count = 0


class CpuTests(base.TestCase):
    """Ten plug-ins beside none, in one process and in turn.

    What plug-ins cost that look at nothing does not depend on the size of
    the stack: it is measured with small ones, and compared with the cost of
    a large one. Whatever else the machine does can only add to a figure, so
    the least of several counts.
    """

    limit_s = 240

    def setUp(self) -> None:
        super().setUp()
        self.numbers = itertools.count()
        self.bare = self.useFixture(BareSystem())
        self.called = self.useFixture(System())

    def cost(self, system: System, size: int) -> float:
        """Return the CPU seconds of all threads that a creation takes."""
        kind = {"type": "OS::Heat::TestResource"}
        wanted = {
            "heat_template_version": "2021-04-16",
            "resources": {f"r{number}": kind for number in range(size)},
        }
        before = time.process_time()
        stack = system.client.create(f"s{next(self.numbers)}", wanted)
        records.wait_until(
            lambda: (
                system.records.stack_states()[stack.id] == "CREATE_COMPLETE"
            ),
            timeout_s=60,
        )
        return time.process_time() - before

    def test_ten_of_them_cost_a_creation_of_1000_no_twentieth(self) -> None:
        for system in (self.bare, self.called):
            self.cost(system, 1)
        large = min(self.cost(self.bare, _LARGE) for _ in range(3))
        bare, called = [], []
        for _ in range(15):
            bare.append(self.cost(self.bare, 1))
            called.append(self.cost(self.called, 1))

        more = min(called) - min(bare)

        self.assertLess(more / large, _MOST_MORE, (more, large))

    def statements(self, system: System) -> list[str]:
        """Return the statements about calls in a creation."""
        counter = nested.Counter(system)
        event.listen(sa.Engine, "before_cursor_execute", counter.see)
        try:
            self.cost(system, 1)
        finally:
            event.remove(sa.Engine, "before_cursor_execute", counter.see)
        return [each for each in counter.statements if "lifecycle_" in each]

    def test_ten_that_do_nothing_add_two_statements(self) -> None:
        for system in (self.bare, self.called):
            self.cost(system, 1)

        # Calls that take long on a busy machine are written between.
        least = min((self.statements(self.called) for _ in range(5)), key=len)

        self.assertEqual([], self.statements(self.bare))
        self.assertLessEqual(len(least), 2, least)


class LifecycleCostTests(base.TestCase):
    """Trees of a few and of many stacks."""

    limit_s = 120
    kind: type[System] = System

    def setUp(self) -> None:
        super().setUp()
        self.counter = self.useFixture(nested.Counter(self.kind()))

    def lifecycle_statements(self, name: str, size: int) -> list[str]:
        """Return the statements about calls and decisions of a tree.

        On a busy machine leases are lost: who takes an operation over looks
        for calls before its own, and another tree is created instead.
        """
        found: list[str] = []
        for number in range(_TRIES):
            before = self.count_taken_over()
            found = [
                each
                for each in self.counter.statements_of(f"{name}{number}", size)
                if "lifecycle_" in each
            ]
            if self.count_taken_over() == before:
                break
        return found

    def count_taken_over(self) -> int:
        """Return how many operations have had more than one lease."""
        table = tables.OPERATIONS
        count = sa.select(sa.func.count()).where(table.c.fence > 1)
        return self.counter.system.records.database.query(
            lambda connection: connection.execute(count).scalar_one()
        )

    def test_stacks_in_a_stack_are_free(self) -> None:
        self.lifecycle_statements("warm", _FEW)

        few = self.lifecycle_statements("few", _FEW)
        many = self.lifecycle_statements("many", _MANY)

        for each in (few, many):
            self.assertIn("INSERT INTO lifecycle_runs", each[0])
            # Calls that take long are written between; that is of the root.
            self.assertLess(len(each), (_MANY - _FEW) / 2, each)
            others = [x for x in each if "INTO lifecycle_runs" not in x]
            self.assertEqual([], others)


class BareCostTests(LifecycleCostTests):
    """No plug-ins cost nothing."""

    kind = BareSystem

    def test_stacks_in_a_stack_are_free(self) -> None:
        self.lifecycle_statements("warm", _FEW)

        self.assertEqual([], self.lifecycle_statements("many", _MANY))
