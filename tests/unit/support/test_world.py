"""The world tells the truth about what was made in it."""

import contextlib
import importlib.metadata
import os
import sqlite3
import sys

import fixtures
from oslo_config import cfg

from orch import clock
from orch import errors
from orch.context import request
from orch.plugin import call_context
from orch.plugin import resource
from tests import base
from tests.support import world


class WorldTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.world = self.useFixture(world.World())
        for name, value in self.world.environment.items():
            self.useFixture(fixtures.EnvironmentVariable(name, value))
        path = self.world.environment["PYTHONPATH"].split(os.pathsep)[0]
        self.useFixture(fixtures.MonkeyPatch("sys.path", [path, *sys.path]))
        self.plugin = self.load()(cfg.ConfigOpts())

    @staticmethod
    def load() -> type[resource.Resource]:
        (point,) = importlib.metadata.entry_points(
            group="orch.resources", name="Test::World::Thing"
        )
        return point.load()

    def context(self, **properties: object) -> call_context.Context:
        defaults = {each.name: each.default for each in self.plugin.properties}
        return call_context.Context(
            request=request.RequestContext(),
            stack_id="s",
            stack_name="s",
            name="thing",
            token="token",
            attempt=1,
            physical_name="s-thing-abc",
            physical_id=None,
            properties=defaults | properties,
            metadata={},
            data={},
            started_at=clock.SystemClock().now(),
        )

    def test_a_thing_that_was_made_is_found_by_its_token(self) -> None:
        made = self.plugin.create(self.context())

        self.assertEqual(made, self.plugin.find(self.context()))
        self.assertEqual(["thing"], self.world.names())
        self.assertEqual([], self.world.doubles())

    def test_a_thing_made_twice_is_seen_even_after_one_is_gone(self) -> None:
        self.plugin.create(self.context())
        self.plugin.create(self.context())
        with contextlib.closing(
            sqlite3.connect(os.environ["ORCH_TEST_WORLD"])
        ) as connection:
            connection.execute("DELETE FROM things")
            connection.commit()

        self.assertEqual(["token"], self.world.doubles())

    def test_a_creation_fails_as_often_as_asked(self) -> None:
        context = self.context(fail_times=1)

        self.assertRaises(errors.Transient, self.plugin.create, context)

        self.assertEqual([], self.world.names())
        self.plugin.create(context)
        self.assertEqual(["thing"], self.world.names())

    def test_a_thing_is_pending_until_its_time(self) -> None:
        answer = self.plugin.is_created(self.context(ready_after_s=60))

        self.assertIsInstance(answer, call_context.Pending)
        self.assertIsNone(self.plugin.is_created(self.context()))

    def test_calls_tell_who_made_them(self) -> None:
        self.plugin.create(self.context())

        acts = [(call.act, call.pid) for call in self.world.calls()]
        me = os.getpid()
        self.assertEqual([("create", me), ("made", me)], acts)
