"""What it costs to index what notifications tell of.

``python -m bench.search_notifications [--url URL] [--stacks N]`` publishes a
notification for each stack of ``bench.deployments`` by our own publisher on
a bus in this process, and lets the search service do the rest: hear, mark,
ask for the documents over the bus, keep them. The documents come from memory
where a worker would read its database. CPU seconds are those of this process
while it does so and, for a server, of all processes of PostgreSQL on the
machine. Results go to ``results/search-notifications-BACKEND.jsonl``.
"""

import argparse
import collections.abc
import json
import pathlib
import tempfile
import time
import typing

import orjson
import oslo_messaging as messaging
from oslo_config import cfg

from bench import deployments
from bench import machine
from orch import clock
from orch import ids
from orch.conf import load
from orch.context import request
from orch.events import notification
from orch.model import notification as model
from orch.rpc import contract
from orch.rpc import proxy
from orch.rpc import server
from orch.rpc import transport
from orch.search import service
from orch.search.index import factory
from orch.search.index import port
from orch.search.indexing import full_scan_state
from orch.search.sources import engine

RESULTS = pathlib.Path(__file__).with_name("results")
_BUS = "orch-inproc:///bench"
_TOPIC = "notifications"
_TIMEOUT_S = 60


class Documents:
    """The ``document`` namespace, from memory."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="document", version=contract.VERSION
    )

    def __init__(self, stacks: dict[str, bytes]) -> None:
        self._stacks = stacks

    def read(
        self, ctxt: request.RequestContext, *, stack_ids: list[str]
    ) -> list[object]:
        """Return what there is of stacks."""
        return [orjson.loads(self._stacks[each]) for each in stack_ids]

    def list_stacks(
        self, ctxt: request.RequestContext, *, after: str, limit: int
    ) -> list[str]:
        """Return nothing: what there is is told by notifications."""
        return []

    def versions(
        self, ctxt: request.RequestContext, *, stack_ids: list[str]
    ) -> dict[str, int]:
        """Return nothing: no stack changes."""
        return {}

    def orphans(
        self, ctxt: request.RequestContext, *, after: str
    ) -> list[object]:
        """Return nothing."""
        return []


def main() -> None:
    """Index what notifications tell of, and keep what it took."""
    asked = _parse()
    stacks, versions = _stacks(asked.stacks)
    with tempfile.TemporaryDirectory() as directory:
        url = asked.url or f"sqlite:///{directory}/search.db"
        conf = _options(url)
        index = factory.open_index(conf)
        index.prepare()
        index.clear()
        line = _run(conf, index, stacks, versions, bool(asked.url))
    print(json.dumps(line), flush=True)
    if not asked.dry:
        backend = url.partition(":")[0]
        target = RESULTS / f"search-notifications-{backend}.jsonl"
        target.write_text(
            "".join(
                json.dumps(each) + "\n" for each in (machine.describe(), line)
            ),
            "utf-8",
        )


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.search_notifications"
    )
    parser.add_argument("--url", help="as [search] connection; else SQLite")
    parser.add_argument("--stacks", type=int, default=10_000)
    parser.add_argument("--dry", action="store_true", help="keep no results")
    return parser.parse_args()


def _options(url: str) -> cfg.ConfigOpts:
    conf = load.load([], [], prog="orch-search")
    conf.set_override("connection", url, group="search")
    conf.set_override("pool", "", group="search")
    conf.set_override("check_interval", 86_400, group="search")
    return conf


def _stacks(count: int) -> tuple[dict[str, bytes], dict[str, int]]:
    """Return what a worker would answer, and the versions, by stack id."""
    found = {}
    versions = {}
    for each in deployments.stacks(count):
        versions[each.stack_id] = each.version
        found[each.stack_id] = orjson.dumps(
            {
                "stack_id": each.stack_id,
                "version": each.version,
                "read_at": each.read_at,
                "documents": [one.facts() for one in each.documents],
                "redacted": sorted(each.redacted),
                "next": None,
            }
        )
    return found, versions


def _run(
    conf: cfg.ConfigOpts,
    index: port.Index,
    stacks: dict[str, bytes],
    versions: collections.abc.Mapping[str, int],
    has_server: bool,
) -> dict[str, object]:
    buses = [transport.build_transport(conf, _BUS) for _ in range(3)]
    conf.set_override("transport_url", _BUS)
    worker = server.build_server(buses[0], "bench", [Documents(stacks)], 1)
    worker.serve()
    source = engine.EngineSource(
        proxy.proxy(contract.Documents, transport.Caller(buses[1], _TIMEOUT_S))
    )
    searcher = service.Service(conf, index, source, buses[2], "bench")
    searcher.start()
    while full_scan_state.filled_at(index) is None:
        time.sleep(0.1)
    publisher = notification.Publisher(conf)
    before = (time.monotonic(), time.process_time(), _server_cpu_s())
    for stack_id, version in versions.items():
        publisher.publish(_make_notification(stack_id, version), _TOPIC)
    while index.counts().stacks < len(stacks):
        time.sleep(0.5)
    wall = time.monotonic() - before[0]
    cpu = time.process_time() - before[1]
    server_cpu = _server_cpu_s() - before[2] if has_server else 0.0
    counts = index.counts()
    publisher.close()
    searcher.stop(5)
    worker.stop()
    return {
        "part": "through notifications",
        "stacks": counts.stacks,
        "documents": counts.documents,
        "wall_s": round(wall, 1),
        "cpu_s": round(cpu, 1),
        "server_cpu_s": round(server_cpu, 1),
        "documents_per_cpu_s": round(counts.documents / (cpu + server_cpu)),
    }


def _make_notification(stack_id: str, version: int) -> model.Notification:
    return model.Notification(
        stack_id=ids.StackId(stack_id),
        sequence=version,
        created_at=clock.SystemClock().now(),
        event_type="orchestration.stack.create.end",
        priority="info",
        payload={"stack_identity": stack_id, "sequence": version},
        context={},
    )


def _server_cpu_s() -> float:
    return machine.read_servers_cpu_s()["postgres"]


if __name__ == "__main__":
    main()
