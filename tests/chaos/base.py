"""What all fault tests share: systems that notice soon, and the checks.

A short lease and a short scan make the faults pass in seconds.
"""

import collections
import collections.abc
import dataclasses

import fixtures
import requests

from tests import base
from tests.chaos import records
from tests.support import rabbit
from tests.support import rest
from tests.support import running
from tests.support import systems
from tests.support import world

LEASE_S = 2.0
TAKEN_OVER_S = LEASE_S + 5.0
"""How soon after a kill an operation has ended, as it was promised."""

OPTIONS: systems.Options = {
    "engine": {"lease_ttl": LEASE_S, "scan_interval": 0.5},
    "api": {"rpc_timeout": 5},
}


def options(
    **groups: collections.abc.Mapping[str, object],
) -> systems.Options:
    """Return :data:`OPTIONS` with more, group to option to value."""
    merged = {group: dict(values) for group, values in OPTIONS.items()}
    for group, values in groups.items():
        merged.setdefault(group, {}).update(values)
    return merged


@dataclasses.dataclass(frozen=True)
class AcceptedStack:
    """A stack that was accepted, and the things that it is made of."""

    stack: rest.Stack
    resource_names: tuple[str, ...]


class ChaosTestCase(base.TestCase):
    """A world, and the checks that nothing in it happened twice.

    :ivar system: the system under test, where a helper started one
    :ivar records: its rows
    :ivar broker: its virtual host, where it is distributed
    """

    limit_s = 180
    system: systems.System
    records: records.Records
    broker: rabbit.VirtualHost

    def setUp(self) -> None:
        super().setUp()
        self.world = self.useFixture(world.World())

    def distribute(
        self,
        settings: systems.Options = OPTIONS,
        *,
        workers: int = 2,
        database: type[fixtures.Fixture] | None = None,
    ) -> systems.Distributed:
        """Start an API and workers on this machine's servers."""
        found = self.useFixture(
            running.Distributed(
                settings,
                self.world.environment,
                workers=workers,
                database=database,
            )
        )
        self.records = self.useFixture(records.Records(found.database.url))
        self.broker = found.broker
        self.system = found.system
        return found.system

    def embed(self, settings: systems.Options = OPTIONS) -> systems.Embedded:
        """Start everything in one process."""
        found = self.useFixture(
            running.Embedded(settings, self.world.environment)
        )
        path = found.directory / "state" / "orch.db"
        self.records = self.useFixture(records.Records(f"sqlite:///{path}"))
        self.system = found.system
        return found.system

    def create(
        self, name: str, template: dict[str, object], **body: object
    ) -> AcceptedStack:
        """Ask for a stack; return once it is accepted."""
        things = tuple(template["resources"])
        return AcceptedStack(
            self.system.client.create(name, template, **body), things
        )

    def check_created(
        self, asked: collections.abc.Collection[AcceptedStack]
    ) -> None:
        """Check by REST and in the world that all stand, and stand once."""
        wanted = sorted(name for each in asked for name in each.resource_names)
        self.assertEqual(wanted, self.world.names())
        self.check_no_doubles()
        for each in asked:
            self.check_stack(each)

    def check_stack(self, asked: AcceptedStack) -> None:
        """Check state, resources and events of a stack that was created."""
        client = self.system.client
        shown = client.show(asked.stack)
        self.assertEqual("CREATE_COMPLETE", shown["stack_status"])
        rows = client.resources(asked.stack)
        self.assertEqual(sorted(asked.resource_names), sorted(rows))
        for row in rows.values():
            self.assertEqual("CREATE_COMPLETE", row["resource_status"])
            self.assertTrue(row["physical_resource_id"])
        self.check_events(
            asked, [asked.stack.name, *asked.resource_names], "CREATE"
        )

    def check_deleted(
        self, asked: collections.abc.Collection[AcceptedStack]
    ) -> None:
        """Check by REST and in the world that nothing is left."""
        self.assertEqual([], self.world.names())
        self.check_no_doubles()
        for each in asked:
            shown = self.system.client.show(each.stack)
            self.assertEqual("DELETE_COMPLETE", shown["stack_status"])
            self.check_events(
                each, [each.stack.name, *each.resource_names], "DELETE"
            )

    def check_events(
        self,
        asked: AcceptedStack,
        told_of: collections.abc.Collection[str],
        action: str,
    ) -> None:
        """Check that each beginning and each end was told, and told once."""
        events = self.system.client.events(asked.stack)
        ids = [each["id"] for each in events]
        self.assertEqual(sorted(set(ids)), sorted(ids))
        told = collections.defaultdict(list)
        for each in events:
            if str(each["resource_status"]).startswith(action):
                told[each["resource_name"]].append(each["resource_status"])
        both = [f"{action}_IN_PROGRESS", f"{action}_COMPLETE"]
        self.assertEqual(dict.fromkeys(told_of, both), dict(told))

    def check_no_doubles(self) -> None:
        """Check that no thing was made twice, not even one after another."""
        self.assertEqual([], self.world.doubles())
        made = [
            each.token for each in self.world.calls() if each.act == "made"
        ]
        self.assertEqual(sorted(set(made)), sorted(made))

    def try_to_create(
        self, name: str, template: dict[str, object]
    ) -> AcceptedStack | int:
        """Ask for a stack while parts may be away.

        :returns: the stack, or the status with which it was refused
        """
        try:
            return self.create(name, template)
        except rest.RefusedError as refused:
            return refused.status

    def is_answered(self, path: str = "/stacks") -> bool:
        """Answer whether the API and a worker behind it serve a request."""
        try:
            self.system.client.ask("GET", path)
        except (rest.RefusedError, requests.RequestException):
            return False
        return True
