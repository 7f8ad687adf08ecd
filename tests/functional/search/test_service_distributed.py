"""``orch-search`` beside workers: on RabbitMQ, with one index for several."""

import collections
import collections.abc
import contextlib
import functools
import io
import json
import pathlib
import statistics
import time
import typing

import fixtures
from kombu import connection
from oslo_config import cfg
from testtools import content

from orch import errors
from orch.context import request
from orch.rpc import caller
from orch.rpc import contract
from orch.rpc import options
from orch.rpc import proxy
from orch.rpc import transport
from orch.search import document
from orch.search import service
from orch.search.index import factory
from orch.search.index import port
from orch.search.indexing import full_scan_state
from orch.search.sources import engine
from orchclient import shell
from tests import base
from tests.functional.search import test_service
from tests.support import indexed
from tests.support import rest
from tests.support import running
from tests.support import waiting

_LIMIT_S = 60
_NEVER_S = 3600.0
_POLL = "orch.search.indexing.follower.POLL_S"
_STEPS = 5
_SCOPE: contract.SearchScope = {"project_ids": None, "is_admin": True}


class _Counting(engine.EngineSource):
    """Counts how often each stack is read."""

    def __init__(
        self, client: contract.Documents, conf: cfg.ConfigOpts
    ) -> None:
        super().__init__(client, conf)
        self.reads: collections.Counter[str] = collections.Counter()

    def read(
        self, stack_ids: collections.abc.Sequence[str]
    ) -> list[document.StackDocuments]:
        self.reads.update(stack_ids)
        return super().read(stack_ids)


def _steps(count: int) -> dict[str, object]:
    """Return a template whose texts come after a signal each."""
    resources: dict[str, object] = {}
    for number in range(count):
        resources[f"handle{number}"] = {
            "type": "OS::Heat::WaitConditionHandle"
        }
        resources[f"condition{number}"] = {
            "type": "OS::Heat::WaitCondition",
            "properties": {
                "handle": {"get_resource": f"handle{number}"},
                "timeout": 600,
            },
        }
        resources[f"text{number}"] = {
            "type": "OS::Heat::RandomString",
            "depends_on": [f"condition{number}"],
        }
    return {"heat_template_version": "2021-04-16", "resources": resources}


class DistributedTest(base.TestCase):
    limit_s = 240

    def start(self, searchers: int = 1) -> None:
        found = self.useFixture(
            running.Distributed(workers=1, searchers=searchers)
        )
        self.broker = found.broker
        self.system = found.system
        self.client = found.system.client
        self.index = self.open_index(found.database.url)

    def open_index(self, url: str) -> port.Index:
        index = indexed.wait_for_index(url)
        self.addCleanup(index.close)
        return index

    def searcher(self) -> contract.Search:
        bus = transport.build_transport(
            indexed.options_of("sqlite:///x"), self.url()
        )
        self.addCleanup(bus.cleanup)
        return proxy.proxy(
            contract.Search,
            caller.SearchCaller(
                transport.Caller(bus, _LIMIT_S, topic=contract.SEARCH_TOPIC)
            ),
        )

    def url(self) -> str:
        return self.broker.url()

    def wait_count(self, count: int) -> None:
        waiting.wait_for(
            lambda: len(indexed.contents(self.index)) == count,
            f"{count} documents",
            _LIMIT_S,
        )

    def check_as_afresh(self) -> None:
        """Check that the index is what a fresh fill would make."""
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        wanted = indexed.fill_afresh(self.url(), directory)
        waiting.wait_for(
            lambda: indexed.contents(self.index) == wanted,
            "the index differs from a fresh fill",
            _LIMIT_S,
        )

    def publish(self, body: object) -> None:
        """Send something to those who listen to notifications."""
        with connection.Connection(
            self.url().replace("rabbit://", "amqp://")
        ) as opened:
            opened.Producer().publish(
                body,
                exchange="heat",
                routing_key="notifications.info",
                serializer="json",
            )

    def test_a_stack_is_found_over_the_bus(self) -> None:
        self.start()
        self.client.create("web", test_service.template(), tags="red")
        self.wait_count(3)

        client = self.searcher()
        asked = request.RequestContext()
        found = client.query(
            asked, {"q": "tag:red type:OS::Heat::RandomString"}, _SCOPE
        )
        self.assertEqual(
            ["web/text0", "web/text1"],
            sorted(each["document"]["path"] for each in found["hits"]),
        )
        refused = self.assertRaises(
            errors.Invalid, client.query, asked, {"q": '"web'}, _SCOPE
        )
        self.assertEqual(1, refused.problems[0].column)
        self.assertEqual(3, client.status(asked)["documents"])
        self.assertEqual(3, len(client.plugins(asked)))
        names = [
            each["name"] for each in client.fields(asked, _SCOPE, ["resource"])
        ]
        self.assertIn("properties.length", names)

    def test_a_notification_wakes_who_follows_the_changes(self) -> None:
        # Nothing asks by itself in the time that a test has.
        self.useFixture(fixtures.MonkeyPatch(_POLL, _NEVER_S))
        found = self.useFixture(running.Distributed(workers=1))
        self.broker, client = found.broker, found.system.client
        self.index, source = self.serve(found.database.url)
        took_s = []
        for number in range(5):
            begun = time.monotonic()
            stack = client.create(
                f"web{number}", test_service.template(count=1)
            )
            client.wait(stack, "CREATE_COMPLETE")
            waiting.wait_for(
                functools.partial(self.is_complete, stack),
                "the stack as it is at last",
                _LIMIT_S,
            )
            took_s.append(time.monotonic() - begun)
            # The beginning and the end of its operation are told.
            self.assertIn(source.reads[stack.id], (1, 2))

        self.report_times(took_s)
        self.check_as_afresh()

    def report_times(self, took_s: collections.abc.Sequence[float]) -> None:
        self.addDetail(
            "took",
            content.text_content(
                f"median {statistics.median(took_s):.2f} s,"
                f" most {max(took_s):.2f} s"
            ),
        )

    def test_a_resource_is_found_while_its_operation_goes_on(self) -> None:
        # No schedule reads it: only that the worker tells of a change.
        found = self.useFixture(
            running.Distributed(
                {"signals": {"seal_keys": "k" * 32}}, workers=1
            )
        )
        self.broker, client = found.broker, found.system.client
        self.index, source = self.serve(found.database.url)
        stack = client.create("web", _steps(_STEPS + 1))
        for number in range(_STEPS + 1):
            self.wait_state(f"web/handle{number}", "CREATE_COMPLETE")
        took_s = []
        for number in range(_STEPS):
            self.assertEqual("INIT_COMPLETE", self.state(f"web/text{number}"))
            client.ask("POST", f"{stack.path}/resources/handle{number}/signal")
            name = f"text{number}"
            waiting.wait_for(
                lambda name=name: (
                    client.resources(stack)[name]["resource_status"]
                    == "CREATE_COMPLETE"
                ),
                f"{name} is there",
                _LIMIT_S,
            )
            begun = time.monotonic()
            self.wait_state(f"web/{name}", "CREATE_COMPLETE")
            took_s.append(time.monotonic() - begun)
            self.assertEqual("CREATE_IN_PROGRESS", self.state("web"))

        self.report_times(took_s)
        # At rest it is read no more, and nobody is asked about it.
        client.ask("POST", f"{stack.path}/resources/handle{_STEPS}/signal")
        client.wait(stack, "CREATE_COMPLETE")
        self.wait_state("web", "CREATE_COMPLETE")
        self.check_as_afresh()
        self.assertLessEqual(source.reads[stack.id], 6 * (_STEPS + 2))

    def state(self, path: str) -> str:
        """Return what is found of the state of what has that path."""
        for each in indexed.contents(self.index).values():
            if each["path"] == path:
                return f"{each['action']}_{each['status']}"
        return ""

    def wait_state(self, path: str, wanted: str) -> None:
        waiting.wait_for(
            lambda: self.state(path) == wanted, f"{path} {wanted}", _LIMIT_S
        )

    def is_complete(self, stack: rest.Stack) -> bool:
        return stack.name in indexed.find(
            self.index, "stack_id", stack.id
        ) and (
            len(indexed.find(self.index, "status", "COMPLETE"))
            == len(indexed.contents(self.index))
        )

    def serve(self, url: str) -> tuple[port.Index, _Counting]:
        """Search in this process; return the index, once it was filled."""
        conf = indexed.options_of(url)
        options.register_options(conf)
        conf.set_override("transport_url", self.url())
        conf.set_override("check_interval", _NEVER_S, group="search")
        bus = transport.build_transport(conf)
        self.addCleanup(bus.cleanup)
        calls = transport.build_transport(indexed.options_of(url), self.url())
        self.addCleanup(calls.cleanup)
        source = _Counting(
            proxy.proxy(contract.Documents, transport.Caller(calls, _LIMIT_S)),
            conf,
        )
        searcher = service.Service(
            conf,
            factory.open_index(conf),
            factory.open_saved_store(conf),
            source,
            bus,
            "here",
        )
        searcher.start()
        self.addCleanup(searcher.stop, _LIMIT_S)
        index = self.open_index(url)
        waiting.wait_for(
            lambda: full_scan_state.filled_at(index), "it is filled", _LIMIT_S
        )
        return index, source

    def test_s2_answers_say_while_the_index_is_filled(self) -> None:
        self.start()
        self.client.create("web", test_service.template())
        self.wait_count(3)
        self.wait_answer(is_complete=True)

        # Nobody tells what there is: the fill waits.
        (worker,) = self.system.engines
        worker.kill()
        full_scan_state.begin_fill(self.index, from_nothing=True)
        found = self.wait_answer(is_complete=False)
        self.assertEqual(0, found["total"])
        self.assertIn("being filled", str(found["hint"]))
        for words in (("search", "web"), ("search", "owner", "x")):
            self.assertIn("is being filled", self.command(*words))

        worker.start()
        whole = self.wait_answer(is_complete=True)
        self.assertEqual(3, whole["total"])
        self.assertNotIn("hint", whole)
        self.assertNotIn("is being filled", self.command("search", "web"))

    def command(self, *words: str) -> str:
        """Return what a command of the client says beside its table."""
        said = io.StringIO()
        login = ("--os-auth-type", "none", "--os-endpoint")
        with contextlib.redirect_stderr(said):
            code = shell.main(
                [*login, self.system.endpoint, *words],
                io.StringIO(),
                io.StringIO(),
                said,
            )
        self.assertEqual(0, code, said.getvalue())
        return said.getvalue()

    def wait_answer(self, *, is_complete: bool) -> dict[str, object]:
        """Return the answer to a search once it says so of itself."""

        def ask() -> dict[str, object] | None:
            found = typing.cast(
                dict[str, object], self.client.ask("GET", "/search")
            )
            return found if found["is_complete"] is is_complete else None

        found = waiting.wait_for(ask, f"complete: {is_complete}", _LIMIT_S)
        assert found is not None
        return found

    def test_s5_nonsense_on_the_bus_is_in_nobodys_way(self) -> None:
        self.start()
        self.client.create("web", test_service.template())
        self.wait_count(3)
        nonsense: tuple[object, ...] = (
            [],
            {"priority": None, "event_type": 7},
            {"oslo.version": "2.0", "oslo.message": "{"},
            {"oslo.version": "2.0", "oslo.message": "[]"},
            {
                "oslo.version": "2.0",
                "oslo.message": json.dumps(
                    {
                        "priority": "INFO",
                        "event_type": "orchestration.stack.create.end",
                        "payload": {"stack_identity": ["x"]},
                    }
                ),
            },
        )
        for body in nonsense:
            self.publish(body)

        self.client.create("more", test_service.template())

        self.wait_count(6)
        self.check_as_afresh()

    def test_two_share_an_index_and_one_does_for_both(self) -> None:
        self.start(searchers=2)
        stacks = [
            self.client.create(f"web{number}", test_service.template())
            for number in range(6)
        ]
        self.wait_count(18)

        self.system.searchers[0].kill()
        for each in stacks[:2]:
            self.client.delete(each)
        self.client.create("more", test_service.template())

        self.wait_count(15)
        # The holder is killed, and then the one that stood by.
        for killed, count in ((0, 18), (1, 21)):
            self.start_as_holder()
            self.system.searchers[killed].kill()
            self.client.create(f"after{killed}", test_service.template())
            self.wait_count(count)

        self.check_as_afresh()
        status = self.searcher().status(request.RequestContext())
        self.assertEqual(7, status["stacks"])

    def start_as_holder(self) -> None:
        """Start a searcher, and wait until it has the lease."""
        former = self.owner()
        self.system.searchers[0].start()
        waiting.wait_for(
            lambda: self.owner() not in ("", former), "it leads", _LIMIT_S
        )

    def owner(self) -> str:
        """Return who has the lease; empty for none."""
        return (self.index.load("lease") or "").partition(" ")[0]
