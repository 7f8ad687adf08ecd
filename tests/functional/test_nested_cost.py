"""What each stack in a stack costs: statements are counted, not time."""

import collections.abc
import re
import typing

import fixtures
import sqlalchemy as sa
from sqlalchemy import event

from orch.plugin import registry
from tests import base
from tests.chaos import records
from tests.scenarios import inprocess

_VERSION = "2021-04-16"
_INNER = f"""
heat_template_version: {_VERSION}
resources:
  first: {{type: OS::Heat::None}}
  second: {{type: OS::Heat::None}}
"""
_FEW, _MANY = 8, 40
_READ = re.compile(r"SELECT .*\sFROM (?!outbox)", re.DOTALL)
_ACCEPTED = re.compile("INSERT INTO (stacks|operations|contents) ")


class System(inprocess.System):
    """Orch with all installed types, whose statements can be seen."""

    def _types(self, life: inprocess.Life) -> registry.ResourceTypes:
        return registry.ResourceTypes(self._conf)


class Counter(fixtures.Fixture):
    """Sees the statements of a system.

    :ivar system: which one
    """

    def __init__(self, system: System) -> None:
        super().__init__()
        self.system = system
        self.statements: list[str] = []

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        self.useFixture(self.system)
        event.listen(sa.Engine, "before_cursor_execute", self.see)
        self.addCleanup(
            event.remove, sa.Engine, "before_cursor_execute", self.see
        )

    def see(
        self,
        connection: sa.Connection,
        cursor: object,
        statement: str,
        *others: object,
    ) -> None:
        # What the test itself asks does not count.
        if connection.engine is not self.system.records.database.engine:
            self.statements.append(statement)

    def statements_of(self, name: str, size: int) -> list[str]:
        """Return the statements that a tree of so many stacks took."""
        kids = {f"kid{number}": {"type": "kid.yaml"} for number in range(size)}
        self.statements.clear()
        stack = self.system.client.create(
            name,
            {"heat_template_version": _VERSION, "resources": kids},
            files={"kid.yaml": _INNER},
        )
        records.wait_until(
            lambda: (
                self.system.records.stack_states()[stack.id]
                == "CREATE_COMPLETE"
            ),
            timeout_s=60,
        )
        return list(self.statements)


class CostTests(base.TestCase):
    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        self.counter = self.useFixture(Counter(System()))

    def test_the_statements_of_a_stack_in_a_stack_are_few(self) -> None:
        self.counter.statements_of("warm", _FEW)

        # On a busy machine leases are renewed and operations read again.
        read, accepted = zip(
            *(self.more(str(n)) for n in range(3)), strict=True
        )

        self.assertLessEqual(min(read), 4, read)
        self.assertLessEqual(min(accepted), 0.5, accepted)

    def more(self, name: str) -> tuple[float, float]:
        """Return how many statements of two kinds a further stack takes."""
        few = self.counter.statements_of(f"few{name}", _FEW)
        many = self.counter.statements_of(f"many{name}", _MANY)
        return (
            _more(few, many, _READ.match),
            _more(few, many, _ACCEPTED.match),
        )


def _more(
    few: collections.abc.Iterable[str],
    many: collections.abc.Iterable[str],
    counts: typing.Callable[[str], object],
) -> float:
    """Return how many more of the statements a further stack takes."""
    counted = [sum(1 for each in one if counts(each)) for one in (few, many)]
    return (counted[1] - counted[0]) / (_MANY - _FEW)
