"""Several workers observe; one of them dies, a service tells of a change."""

import collections
import time

import oslo_messaging as messaging
import sqlalchemy as sa
from oslo_config import cfg

from orch.db.models import observations
from orch.rpc import options
from tests.chaos import base
from tests.functional import observing
from tests.support import processes
from tests.support import rest
from tests.support import services
from tests.support import waiting
from tests.support import world_templates

_STACKS = 12
_PERIOD_S = 1.5
_SLACK_S = 60.0


class ObserverTestCase(base.ChaosTestCase):
    """Stacks of one thing each, and workers that look at them."""

    def setUp(self) -> None:
        services.require("RabbitMQ", "PostgreSQL")
        super().setUp()

    def begin(self, count: int, **given: object) -> list[rest.Stack]:
        """Start three workers; return stacks that are complete."""
        mine = {**observing.OPTIONS, "batch_size": 2, **given}
        self.distribute(base.options(observer=mine), workers=3)
        asked = [
            self.create(
                f"s{number}", world_templates.template(a=observing.single())
            )
            for number in range(count)
        ]
        for each in asked:
            self.system.client.wait(each.stack, "CREATE_COMPLETE")
        return [each.stack for each in asked]

    def reads(self, after: int = 0) -> dict[str, list[int]]:
        """Return the processes that have read each stack, oldest first."""
        found = collections.defaultdict(list)
        for call in self.world.calls(after=after):
            if call.act == "read":
                found[call.stack].append(call.pid)
        return dict(found)

    def newest(self) -> int:
        """Return the number of the newest call."""
        return max(call.number for call in self.world.calls())

    def wait_for_reads(
        self, stacks: list[rest.Stack], count: int, after: int
    ) -> dict[str, list[int]]:
        """Return the reads once there are so many of each stack."""

        def are_there() -> bool:
            found = self.reads(after)
            return all(
                len(found.get(each.name, ())) >= count for each in stacks
            )

        waiting.wait_for(are_there, f"{count} looks", _SLACK_S)
        return self.reads(after)

    def find(self, pid: int) -> processes.Process:
        (found,) = (
            each
            for each in self.system.members
            if each.is_running() and each.pid == pid
        )
        return found


class ShareTests(ObserverTestCase):
    def test_d6_no_stack_is_looked_at_twice_in_a_period(self) -> None:
        stacks = self.begin(_STACKS, period=_PERIOD_S, max_period=_PERIOD_S)
        self.wait_for_reads(stacks, 1, self.newest())
        after, began = self.newest(), time.monotonic()

        self.wait_for_reads(stacks, 3, after)

        found = self.reads(after)
        periods = (time.monotonic() - began) / (0.75 * _PERIOD_S)
        most = max(len(each) for each in found.values())
        self.assertLessEqual(most, periods + 2)
        workers = {pid for each in found.values() for pid in each}
        self.assertGreater(len(workers), 1)
        # Each claim of a stack is one look at its thing, whoever had it.
        self.assertEqual(_STACKS, len(found))

    def test_d6_each_claim_is_one_look(self) -> None:
        stacks = self.begin(_STACKS)
        made = len(stacks)
        self.wait_for_reads(stacks, 3, 0)

        for each in self.system.engines:
            each.freeze()
        reads = sum(len(each) for each in self.reads().values()) - made
        claims = self.records.read(
            sa.select(sa.func.sum(observations.WATCHES.c.fence).label("all"))
        )
        for each in self.system.engines:
            each.thaw()

        # A worker that stood still had claimed at most one turn's stacks.
        at_work = 3 * 2 * 2
        self.assertTrue(
            0 <= int(str(claims[0]["all"])) - reads <= at_work,
            (claims, reads),
        )

    def test_d6_kill_9_moves_the_share_of_a_worker(self) -> None:
        stacks = self.begin(_STACKS)
        self.wait_for_reads(stacks, 1, self.newest())
        held = stacks[0]
        self.world.order(held.name, "read", "a", moment="before")
        pid = waiting.wait_for(lambda: self.holder(held.name), "a hold")

        self.find(pid).kill()
        self.world.release(held.name)
        after = self.newest()

        found = self.wait_for_reads(stacks, 2, after)
        workers = {each for stack in found.values() for each in stack}
        self.assertNotIn(pid, workers)
        for each in stacks:
            shown = observing.read(self.system.client, each)
            self.assertEqual("in_sync", shown["state"])

    def holder(self, stack: str) -> int | None:
        """Return the process that is held while it reads a stack."""
        return next(
            (
                each.pid
                for each in self.world.calls(stack)
                if each.act == "held-read-before"
            ),
            None,
        )


class NotificationTests(ObserverTestCase):
    def test_d6_a_service_tells_of_a_change(self) -> None:
        (stack,) = self.begin(
            1,
            period=86400,
            max_period=86400,
            topics="notifications",
            exchanges="neutron,nova",
        )
        client = self.system.client
        physical_id = client.resources(stack)["a"]["physical_resource_id"]
        reads = len(self.reads()[stack.name])
        self.world.relabel(stack.name, "a", "drifted")

        def is_shown() -> bool:
            # Who listens may not have begun to when the first is published.
            self.publish("neutron", {"port": {"id": physical_id}})
            return observing.drifted(client, stack) == ["a"]

        waiting.wait_for(is_shown, "the drift", _SLACK_S)
        self.assertGreater(len(self.reads()[stack.name]), reads)

    def publish(self, exchange: str, payload: object) -> None:
        """Tell of a change as a service of OpenStack does."""
        conf = cfg.ConfigOpts()
        conf([], default_config_files=[])
        options.register_options(conf)
        conf.set_override("control_exchange", exchange)
        transport = messaging.get_notification_transport(
            conf, self.broker.url()
        )
        try:
            messaging.Notifier(
                transport,
                publisher_id="network.host",
                driver="messagingv2",
                topics=["notifications"],
            ).info({}, "port.update.end", payload)
        finally:
            transport.cleanup()
