"""Old addresses, and signals on their way, on each database."""

import testscenarios

from orch import clock
from orch import ids
from orch.db import functions
from orch.db.repositories import forwarding
from orch.db.repositories import software_configs
from orch.db.repositories import software_deployments
from orch.model import forwarding as model
from orch.model import software
from tests.functional.db import base
from tests.functional.db import test_software

load_tests = testscenarios.load_tests_apply_scenarios

_DAY_S = 86400


def make_address(**given: object) -> model.Address:
    values = {
        "stack_id": ids.StackId(ids.new()),
        "resource_id": ids.ResourceId(ids.new()),
        "origin_id": ids.StackId(ids.new()),
        "project_id": "demo",
        "path": ("group", "0", "ü"),
        "type_name": "OS::Heat::WaitConditionHandle",
        "kind": model.Kind.WAIT_CONDITION,
        "old_address": "http://old/" + "x" * 300,
        "server_id": "web",
        "metadata": {"a": 1},
        "agent": {"b": ["ü"]},
        "created_at": base.NOW,
    }
    return model.Address(**(values | given))


class ForwardingTest(base.TestCase):
    def store(self, **given: object) -> model.Address:
        value = make_address(**given)
        with self.database.write() as conn:
            forwarding.insert(conn, [value])
        return value

    def put(self, address: model.Address, number: int, **given: object) -> str:
        signal_id = ids.new()
        values = {"details": {"n": number}, "came_at": base.NOW}
        with self.database.write() as conn:
            forwarding.save_signal(
                conn,
                model.Signal(
                    stack_id=address.stack_id,
                    resource_id=address.resource_id,
                    number=number,
                    signal_id=signal_id,
                    **(values | given),
                ),
            )
        return signal_id

    def read(self, address: model.Address) -> model.Address | None:
        with self.database.read() as conn:
            return forwarding.find(conn, address.resource_id)

    def now(self) -> float:
        with self.database.read() as conn:
            return functions.read_clock(conn)

    def test_an_address_comes_back_as_it_was_stored(self) -> None:
        value = self.store()

        self.assertEqual(value, self.read(value))

    def test_they_are_found_by_what_is_asked_for(self) -> None:
        first = self.store(path=("b",))
        second = self.store(
            path=("a",), origin_id=first.origin_id, stack_id=first.stack_id
        )
        self.store(project_id="other")

        with self.database.read() as conn:
            self.assertEqual(
                [second, first], forwarding.list_(conn, first.origin_id)
            )
            of_server = forwarding.list_of_server(conn, "demo", "web")
            of_stack = forwarding.list_of_stack(conn, first.stack_id)
            every = forwarding.list_of_server(conn, None, "web")
        for found in (of_server, of_stack):
            self.assertCountEqual([first, second], found)
        self.assertEqual(3, len(every))

    def test_those_that_are_due_come_first_in_time(self) -> None:
        now = self.now()
        late = self.store(next_at=now - 1, waiting=1)
        early = self.store(next_at=now - 2, waiting=1)
        self.store(next_at=now + 100, waiting=1)
        self.store()

        with self.database.read() as conn:
            host = early.host
            self.assertEqual(
                [early, late], forwarding.list_due(conn, host, 10)
            )
            self.assertEqual([early], forwarding.list_due(conn, host, 1))
            self.assertEqual([], forwarding.list_due(conn, "other", 10))

    def test_a_host_is_due_once_by_what_waits_longest(self) -> None:
        now = self.now()
        self.store(host="h:1", next_at=now - 1, waiting=1)
        self.store(host="h:2", next_at=now - 2, waiting=1)
        self.store(host="h:1", next_at=now - 3, waiting=1)
        self.store(host="h:3", next_at=now + 100, waiting=1)
        self.store(host="h:4")

        with self.database.read() as conn:
            self.assertEqual(["h:1", "h:2"], forwarding.list_due_hosts(conn))

    def test_a_host_where_nobody_is_gets_nothing_for_a_while(self) -> None:
        now = clock.Timestamp(self.now())
        held = self.store(host="h:1", next_at=now - 1, waiting=1)
        idle = self.store(host="h:1")
        other = self.store(host="h:2", next_at=now - 1, waiting=1)

        with self.database.write() as conn:
            until = clock.Timestamp(now + 100)
            forwarding.hold_back(conn, "h:1", until, "away")

        with self.database.read() as conn:
            self.assertEqual(["h:2"], forwarding.list_due_hosts(conn))
            self.assertEqual([other], forwarding.list_due(conn, "h:2", 10))
        self.assertEqual("away", self.read(held).problem)
        self.assertIsNone(self.read(idle).next_at)

    def test_signals_keep_their_order_and_their_values(self) -> None:
        address, other = self.store(), self.store()
        known = self.put(address, 2, details=None)
        self.put(address, 1, details={"ü": [1, None]})
        self.put(other, 1)

        with self.database.write() as conn:
            found = forwarding.list_waiting(conn, address, 10)
            has = [
                forwarding.has_signal(conn, one, known)
                for one in (address, other)
            ]
            left = forwarding.take_out(conn, found[0])

        self.assertEqual(
            [(1, {"ü": [1, None]}), (2, None)],
            [(each.number, each.details) for each in found],
        )
        self.assertEqual([True, False], has)
        self.assertEqual(1, left)

    def test_what_waits_at_one_address_is_measured(self) -> None:
        address, other, idle = self.store(), self.store(), self.store()
        for number in (1, 2):
            self.put(address, number, details={"a": "b" * 1000})
        self.put(other, 1)

        with self.database.read() as conn:
            sizes = [
                forwarding.count_waiting(conn, each)
                for each in (address, other, idle)
            ]

        one = forwarding.size_of({"a": "b" * 1000})
        self.assertEqual([2 * one, len('{"n":1}'), 0], sizes)

    def test_a_poll_notes_what_was_told(self) -> None:
        polled = self.store(kind=model.Kind.METADATA, new_address="http://n")
        unknown = self.store(kind=model.Kind.METADATA)
        signalled = self.store(new_address="http://n")
        with self.database.write() as conn:
            forwarding.note_poll(conn, [polled, unknown, signalled], base.NOW)

        noted = [
            (found.used_at, found.notified_at)
            for found in map(self.read, (polled, unknown, signalled))
        ]

        now = base.NOW
        self.assertEqual([(now, now), (now, None), (None, now)], noted)

    def test_ids_of_signals_are_known_and_only_so_many(self) -> None:
        stack_id, resource_id = ids.new(), ids.new()
        with self.database.write() as conn:
            for each in range(forwarding._MAX_TAKEN + 5):
                forwarding.note_taken(conn, stack_id, resource_id, str(each))
            known = [
                forwarding.is_taken(conn, stack_id, resource_id, each)
                for each in ("0", str(forwarding._MAX_TAKEN + 4), "no")
            ]

        self.assertEqual([False, True, False], known)

    def test_an_origin_is_stored_once(self) -> None:
        value = model.Origin(
            stack_id=ids.StackId(ids.new()),
            origin_id=ids.new(),
            key="k" * 43,
            created_at=base.NOW,
        )
        with self.database.write() as conn:
            for _ in "ab":
                forwarding.save_origin(conn, value)
            self.assertEqual(
                value, forwarding.find_origin(conn, value.stack_id)
            )

    def test_what_is_old_is_forgotten_with_what_belongs_to_it(self) -> None:
        now = self.now()
        old = self.store(created_at=now - 3 * _DAY_S)
        young = self.store(created_at=now - _DAY_S)
        for each in (old, young):
            self.put(each, 1)
            config = test_software.make_config()
            with self.database.write() as conn:
                software_configs.insert(conn, config)
                software_deployments.insert(
                    conn,
                    test_software.make_deployment(
                        config_id=config.id,
                        stack_id=each.stack_id,
                        resource_id=each.resource_id,
                    ),
                )

        with self.database.write() as conn:
            self.assertEqual(1, forwarding.forget_old(conn, 2))
            self.assertEqual(0, forwarding.forget_old(conn, 2))
            gone = forwarding.list_waiting(conn, old, 10)
            kept = forwarding.list_waiting(conn, young, 10)
            configs = software_deployments.list_configs(
                conn, software.Scope("demo"), "web"
            )

        self.assertIsNone(self.read(old))
        self.assertEqual((0, 1, 1), (len(gone), len(kept), len(configs)))
