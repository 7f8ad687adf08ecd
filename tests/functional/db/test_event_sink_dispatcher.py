"""Which worker tells sinks, and who waits for whom, on each database."""

import threading

import fixtures
import sqlalchemy as sa
import testscenarios
from oslo_config import cfg

from orch import errors
from orch import ids
from orch.db import leader_lease
from orch.db.models import services
from orch.db.repositories import contents
from orch.db.repositories import event_sinks
from orch.engine.event_sinks import delivery
from orch.engine.event_sinks import dispatcher
from orch.model import event_sink
from orch.plugin import sink
from tests.functional.db import test_event_sink_turns
from tests.functional.db import test_event_sinks
from tests.support import waiting

load_tests = testscenarios.load_tests_apply_scenarios

_LIMIT_S = 60


class Gated(sink.EventSink):
    """Takes nothing for the target ``stuck`` before the gate is open."""

    type_name = "webhook"

    def __init__(self) -> None:
        super().__init__(cfg.ConfigOpts())
        self.gate = threading.Event()
        self.fault: Exception | None = None
        self.requests: list[str] = []
        self.sent: list[tuple[str, int]] = []

    def send(
        self, declared: sink.Declared, told: sink.SinkEvent, owner: sink.Owner
    ) -> None:
        target = str(declared["target"])
        self.requests.append(target)
        if target == "stuck":
            self.gate.wait(_LIMIT_S)
            if self.fault is not None:
                raise self.fault
        self.sent.append((target, told.sequence))

    def of(self, target: str) -> list[int]:
        return [number for name, number in list(self.sent) if name == target]


def _no_thread(thread: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


class DispatcherTest(test_event_sinks.SinksTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.kind = Gated()
        self.addCleanup(self.kind.gate.set)

    def worker(self) -> dispatcher.Dispatcher:
        moments = test_event_sink_turns.Moments()
        made = dispatcher.Dispatcher(
            self.database,
            delivery.Delivery(
                database=self.database,
                kinds={"webhook": self.kind},
                find=lambda conn, stack: None,
                connect=self.fail,
                clock=moments,
                max_retry_age_s=3600,
            ),
            ids.WorkerId(ids.new()),
            moments,
        )
        self.addCleanup(made.finish, _LIMIT_S)
        self.addCleanup(self.kind.gate.set)
        return made

    def store_sinks(self, conn: sa.Connection) -> str:
        found = contents.save_texts(conn, ['{"sinks": 2}'])[0]
        event_sinks.save_sinks(
            conn,
            found,
            [
                {"type": "webhook", "target": target}
                for target in ("stuck", "quick")
            ],
        )
        return found

    def test_a_sink_that_is_stuck_holds_up_no_other(self) -> None:
        stack = self.make()
        worker = self.worker()

        worker.step()
        waiting.wait_for(
            lambda: (
                self.kind.of("quick") == [1, 2]
                and "stuck" in self.kind.requests
            ),
            "the other sink",
            _LIMIT_S,
        )
        self.write(lambda conn: self.store_events(conn, stack, 3))

        def goes_on() -> bool:
            worker.step()
            return self.kind.of("quick") == [1, 2, 3]

        waiting.wait_for(goes_on, "more events", _LIMIT_S)
        self.assertEqual(1, self.kind.requests.count("stuck"))
        self.assertEqual([], self.kind.of("stuck"))
        self.kind.gate.set()
        waiting.wait_for(
            lambda: self.kind.of("stuck") == [1, 2, 3], "it", _LIMIT_S
        )

    def test_where_no_thread_can_start_the_next_look_tries_again(
        self,
    ) -> None:
        self.kind.gate.set()
        self.make()
        worker = self.worker()
        with fixtures.MonkeyPatch("threading.Thread.start", _no_thread):
            self.assertRaises(RuntimeError, worker.step)

        def goes_on() -> bool:
            worker.step()
            return self.kind.of("quick") == self.kind.of("stuck") == [1, 2]

        waiting.wait_for(goes_on, "both", _LIMIT_S)

    def test_what_ended_after_the_look_began_waits_for_the_next_look(
        self,
    ) -> None:
        self.kind.fault = errors.Transient("not now")
        self.make()
        worker = self.worker()
        worker.step()
        waiting.wait_for(
            lambda: self.kind.requests.count("stuck") == 1, "it", _LIMIT_S
        )
        listed = event_sinks.list_due

        def list_late(
            conn: sa.Connection, limit: int, of_project: int
        ) -> list[event_sink.EventSink]:
            found = listed(conn, limit, of_project)
            self.kind.gate.set()
            self.assertTrue(worker.finish(_LIMIT_S))
            return found

        with fixtures.MonkeyPatch(
            "orch.db.repositories.event_sinks.list_due", list_late
        ):
            worker.step()
        self.assertTrue(worker.finish(_LIMIT_S))

        self.assertEqual(1, self.kind.requests.count("stuck"))

    def test_one_worker_at_a_time_does_it(self) -> None:
        self.kind.gate.set()
        stack = self.make()
        first, second = self.worker(), self.worker()
        first.step()
        self.assertTrue(first.finish(_LIMIT_S))
        self.write(lambda conn: self.store_events(conn, stack, 3))

        self.assertEqual(leader_lease.RETRY_INTERVAL_S, second.step())
        self.assertEqual([1, 2], self.kind.of("quick"))

        self.assertTrue(first.stop(_LIMIT_S))
        second.step()
        self.assertTrue(second.finish(_LIMIT_S))
        self.assertEqual([1, 2, 3], self.kind.of("quick"))

    def test_without_any_sink_nobody_asks_for_the_duty(self) -> None:
        self.write(
            lambda conn: conn.exec_driver_sql("DELETE FROM event_sinks")
        )
        self.make()

        self.worker().step()

        self.assertEqual(
            0,
            self.read(
                lambda conn: conn.execute(
                    sa.select(sa.func.count()).select_from(services.LEASES)
                ).scalar_one()
            ),
        )
        self.assertEqual([], self.kind.sent)
