"""What finding things costs: fill an index, and ask it.

``python -m bench.search [--url URL] [--stacks N] [--queries N]`` fills an
index with ``bench.deployments`` and asks it, one client, equal parts of
queries for one word, a field, a prefix and everything, each with three
facets. An index that is named is emptied first. CPU seconds are those of this
process and, for a server, of all processes of PostgreSQL and MariaDB on the
machine.
Results go to ``results/search-BACKEND.jsonl``.
"""

import argparse
import collections.abc
import dataclasses
import itertools
import json
import pathlib
import random
import tempfile
import time

from oslo_config import cfg

from bench import deployments
from bench import machine
from orch import errors
from orch.conf import opts
from orch.search import document as documents
from orch.search.index import factory
from orch.search.index import port
from orch.search.query import nodes

RESULTS = pathlib.Path(__file__).with_name("results")
BATCH = 50

_FACETS = (port.Facet("type"), port.Facet("status"), port.Facet("tags"))
_EVERYBODY = port.Scope(None, is_admin=True)


def main() -> None:
    """Fill an index, ask it, and keep what it took."""
    asked = _parse()
    with tempfile.TemporaryDirectory(dir=asked.directory) as directory:
        url = asked.url or f"sqlite:///{directory}/search.db"
        index = _open(url, directory)
        index.clear()
        try:
            lines = [
                machine.describe(),
                _fill(index, asked.stacks, bool(asked.url)),
            ]
            lines += _ask(index, asked.queries)
            if asked.changes:
                lines.append(_change(index, asked.changes))
            if asked.url:
                index.clear()
        finally:
            index.close()
    for line in lines[1:]:
        print(json.dumps(line), flush=True)
    if not asked.dry:
        backend = url.partition(":")[0].replace("+", "-")
        target = RESULTS / f"search-{backend}.jsonl"
        target.write_text(
            "".join(json.dumps(line) + "\n" for line in lines), "utf-8"
        )


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.search")
    parser.add_argument("--url", help="as [search] connection; else SQLite")
    parser.add_argument("--directory", help="for the file of SQLite")
    parser.add_argument("--stacks", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--changes", type=int, default=200)
    parser.add_argument("--dry", action="store_true", help="keep no results")
    return parser.parse_args()


def _open(url: str, directory: str) -> port.Index:
    conf = cfg.ConfigOpts()
    for group, options in opts.list_opts():
        conf.register_opts(options, group=group)
    conf([], project="orch", default_config_files=[])
    conf.set_override("connection", url, group="search")
    conf.set_override("folder", directory, group="search")
    index = factory.open_index(conf)
    index.prepare()
    return index


def _fill(
    index: port.Index, count: int, has_server: bool
) -> dict[str, object]:
    wall = cpu = server = 0.0
    stacks = deployments.stacks(count)
    while batch := list(itertools.islice(stacks, BATCH)):
        before = (time.monotonic(), time.process_time(), _server_cpu_s())
        index.put(batch)
        wall += time.monotonic() - before[0]
        cpu += time.process_time() - before[1]
        if has_server:
            server += _server_cpu_s() - before[2]
    counts = index.counts()
    before = (time.monotonic(), time.process_time())
    while _total(index) < counts.documents:
        time.sleep(0.1)
    wall += time.monotonic() - before[0]
    cpu += time.process_time() - before[1]
    counts = index.counts()
    return {
        "part": "fill",
        "stacks": counts.stacks,
        "documents": counts.documents,
        "wall_s": round(wall, 1),
        "cpu_s": round(cpu, 1),
        "server_cpu_s": round(server, 1),
        "documents_per_cpu_s": round(counts.documents / (cpu + server)),
        "text_mb": round(counts.text_bytes / 1e6, 1),
        "index_mb": round(counts.stored_bytes / 1e6, 1),
        "index_to_text": round(counts.stored_bytes / counts.text_bytes, 2),
    }


def _total(index: port.Index) -> int:
    """Return how many documents are found; 0 while the index is filled."""
    query = port.Query(node=nodes.All(), scope=_EVERYBODY, limit=0)
    try:
        return index.search(query).total
    except errors.Unavailable:
        return 0


def _server_cpu_s() -> float:
    used = machine.read_servers_cpu_s()
    return used["postgres"] + used["mariadbd"]


def _words(dice: random.Random) -> nodes.Node:
    word = dice.choice(
        (
            *("server", "shop", "backup", "failed", "compute", "default"),
            *("disk", "ubuntu", "replicas", "quota", "ledger", "active"),
            *("drifted", f"user{dice.randrange(500)}"),
            f"{dice.randrange(10000):05d}",
        )
    )
    return nodes.Words((word,))


def _fields(dice: random.Random) -> nodes.Node:
    field, value = dice.choice(
        (
            ("flavor", "m1.large"),
            ("type", "OS::Nova::Server"),
            ("status", "FAILED"),
            ("tags", "prod"),
            ("owner", f"user{dice.randrange(500)}"),
            ("image", "debian-12"),
            ("path", f"{dice.randrange(10000):05d}"),
            ("properties.size", str(dice.randrange(10, 500))),
        )
    )
    return nodes.Term(field, value)


def _prefixes(dice: random.Random) -> nodes.Node:
    word = dice.choice(
        (
            *("gra", "ser", "led", "pay", "comp", "ubu", "s", "bal", "dri"),
            f"{dice.randrange(100):03d}",
            f"{dice.randrange(4096):03x}",
        )
    )
    return nodes.Words((word,), is_prefix=True)


def _everything(dice: random.Random) -> nodes.Node:
    return nodes.All()


KINDS: dict[str, collections.abc.Callable[[random.Random], nodes.Node]] = {
    "one word": _words,
    "field": _fields,
    "prefix": _prefixes,
    "everything": _everything,
}


def _ask(index: port.Index, count: int) -> list[dict[str, object]]:
    dice = random.Random(7)
    walls: dict[str, list[float]] = {each: [] for each in KINDS}
    cpus: dict[str, list[float]] = {each: [] for each in KINDS}
    slowest: tuple[float, str] = (0.0, "")
    for number in range(count):
        name = list(KINDS)[number % len(KINDS)]
        node = KINDS[name](dice)
        query = make_query(node)
        wall, cpu = time.perf_counter(), time.process_time()
        found = index.search(query)
        walls[name].append(1000 * (time.perf_counter() - wall))
        cpus[name].append(1000 * (time.process_time() - cpu))
        slowest = max(slowest, (walls[name][-1], f"{node}: {found.total}"))
    walls["all"] = list(itertools.chain(*walls.values()))
    cpus["all"] = list(itertools.chain(*cpus.values()))
    return [
        {
            "part": "ask",
            "queries": name,
            "n": len(walls[name]),
            "p50_ms": _quantile(walls[name], 0.5),
            "p99_ms": _quantile(walls[name], 0.99),
            "cpu_p50_ms": _quantile(cpus[name], 0.5),
            "cpu_p99_ms": _quantile(cpus[name], 0.99),
            **({"slowest": slowest[1]} if name == "all" else {}),
        }
        for name in walls
    ]


def make_query(node: nodes.Node) -> port.Query:
    """Return the query of the benchmark: three facets, 20 hits."""
    return port.Query(node=node, scope=_EVERYBODY, facets=_FACETS)


def _quantile(found: list[float], part: float) -> float:
    ordered = sorted(found)
    return round(ordered[min(int(len(ordered) * part), len(ordered) - 1)], 1)


def changes(
    count: int,
) -> collections.abc.Iterator[documents.StackDocuments]:
    """Return stacks of which two documents have failed."""
    for each in itertools.islice(deployments.stacks(count), count):
        first, second, *rest = each.documents
        yield dataclasses.replace(
            each,
            version=each.version + 1_000_000,
            documents=(
                dataclasses.replace(first, status="FAILED"),
                dataclasses.replace(second, status="FAILED"),
                *rest,
            ),
        )


def _change(index: port.Index, count: int) -> dict[str, object]:
    """Change one stack after the other, as events do."""
    changed = list(changes(count))
    walls = []
    cpu = time.process_time()
    for one in changed:
        wall = time.perf_counter()
        index.put([one])
        walls.append(1000 * (time.perf_counter() - wall))
    _total(index)
    return {
        "part": "change 2 of 21 documents",
        "n": count,
        "p50_ms": _quantile(walls, 0.5),
        "p99_ms": _quantile(walls, 0.99),
        "cpu_ms": round(1000 * (time.process_time() - cpu) / count, 2),
    }


if __name__ == "__main__":
    main()
