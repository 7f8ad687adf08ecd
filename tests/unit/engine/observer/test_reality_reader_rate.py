import testtools
from oslo_config import cfg

from orch import clock
from orch import ids
from orch.context import request
from orch.engine.observer import reality_reader
from orch.model import resource as model_resource
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import resource
from tests.functional.db import base


class Single(resource.Resource):
    """Is read one by one."""

    type_name = "Test::Service::Single"
    has_reality = True

    def get_reality(self, context: call_context.Context) -> reality.Reality:
        return {}


class Listed(Single):
    """Is listed."""

    type_name = "Test::Service::Listed"

    def observe(self, contexts):
        return [{} for _ in contexts]


class Unread(Single):
    """Cannot tell."""

    type_name = "Test::Service::Unread"
    has_reality = False


class Types:
    """The types of this module."""

    def __init__(self) -> None:
        made = (each(cfg.ConfigOpts()) for each in (Single, Listed, Unread))
        self._types = {each.type_name: each for each in made}

    def find(self, name: str) -> resource.Resource | None:
        return self._types.get(name)


class PacedReadingTestCase(testtools.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.calls: list[tuple[str, str]] = []
        self.reading = reality_reader.RealityReader(
            Types(),
            self.context_of,
            clock.SystemClock(),
            pace=lambda *given: self.calls.append(given),
        )

    @staticmethod
    def context_of(row: model_resource.Resource) -> call_context.Context:
        return call_context.Context(
            request=request.RequestContext(),
            stack_id=row.stack_id,
            stack_name="s",
            name=row.name,
            token=row.id,
            attempt=1,
            physical_name="p",
            physical_id=row.physical_id,
            properties={},
            metadata={},
            data={},
            started_at=clock.Timestamp(0),
            stack_project="project",
        )

    @staticmethod
    def rows(kind: type[resource.Resource], count: int) -> list[object]:
        return [
            base.make_resource(
                id=ids.ResourceId(ids.new()),
                type_name=kind.type_name,
                physical_id=f"thing-{number}",
            )
            for number in range(count)
        ]

    def test_dg5_a_list_waits_for_its_turn_once(self) -> None:
        found = self.reading.read(self.rows(Listed, 100))

        self.assertEqual([("project", Listed.type_name)], self.calls)
        self.assertEqual(100, len(found))

    def test_dg5_each_single_call_waits_for_its_turn(self) -> None:
        self.reading.read(self.rows(Single, 7))

        self.assertEqual([("project", Single.type_name)] * 7, self.calls)

    def test_dg5_what_cannot_be_read_takes_no_turn(self) -> None:
        self.reading.read(self.rows(Unread, 7))

        self.assertEqual([], self.calls)
