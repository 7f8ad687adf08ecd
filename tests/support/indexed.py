"""Looks into an index past the search service, and fills another afresh."""

import contextlib
import functools
import pathlib
import tempfile

from oslo_config import cfg

from orch import clock
from orch import errors
from orch import ids
from orch.cmd import indexes
from orch.conf import load
from orch.rpc import contract
from orch.rpc import proxy
from orch.rpc import transport
from orch.search.index import port
from orch.search.indexing import full_scan
from orch.search.indexing import known_stacks
from orch.search.indexing import lease
from orch.search.indexing import updater
from orch.search.query import nodes
from orch.search.sources import engine
from tests.support import waiting

ADMIN = port.Scope(None, is_admin=True)
_PAGE = 500
_TIMEOUT_S = 60

Facts = dict[str, object]


def open_index(url: str) -> port.Index:
    """Return the index at this address, ready to be asked."""
    found = indexes.open_index(options_of(url))
    found.prepare()
    return found


def wait_for_index(url: str) -> port.Index:
    """Return the index at this address once it is there.

    Those that start make the tables at this very moment, perhaps.

    :raises AssertionError: it is not there in time
    """

    def opened() -> list[port.Index]:
        with contextlib.suppress(errors.Unavailable):
            return [open_index(url)]
        return []

    (found,) = waiting.wait_for(opened, "no index", _TIMEOUT_S)
    return found


def contents(index: port.Index) -> dict[str, Facts]:
    """Return all documents of an index, by id."""
    found: dict[str, Facts] = {}
    after: str | None = None
    while True:
        page = index.search(
            port.Query(
                node=nodes.All(),
                scope=ADMIN,
                sort=(port.Sort("path"),),
                limit=_PAGE,
                after=after,
            )
        )
        for each in page.hits:
            found[each.document.id] = dict(each.document.facts())
        if len(page.hits) < _PAGE:
            return found
        after = page.hits[-1].cursor


def find(index: port.Index, field: str, value: str) -> list[str]:
    """Return the paths of what has this value, in their order."""
    page = index.search(
        port.Query(
            node=nodes.Term(field, value),
            scope=ADMIN,
            sort=(port.Sort("path"),),
            limit=_PAGE,
        )
    )
    return [each.document.path for each in page.hits]


def fill_afresh(
    transport_url: str, directory: pathlib.Path
) -> dict[str, Facts]:
    """Fill another index by the workers of a system; return what is in it."""
    file = directory / f"{ids.new()}.db"
    conf = options_of(f"sqlite:///{file}")
    bus = transport.build_transport(conf, transport_url)
    source = engine.EngineSource(
        proxy.proxy(contract.Documents, transport.Caller(bus, _TIMEOUT_S))
    )
    index = indexes.open_index(conf)
    try:
        index.prepare()
        _walk(index, source)
        return contents(index)
    finally:
        index.close()
        bus.cleanup()  # type: ignore[no-untyped-call]


def _walk(index: port.Index, source: engine.EngineSource) -> None:
    clock_ = clock.SystemClock()
    unread: set[str] = set()
    walker = full_scan.FullScanner(
        index,
        source,
        updater.Updater(index, source, known_stacks.KnownStacks()),
        lease.Lease(index, "afresh", clock_, is_alone=True),
        clock_,
        check_interval_s=3600,
        history_days=0,
        on_unread=unread.update,
    )

    def is_walked() -> bool:
        # After an outage workers find back one by one.
        with contextlib.suppress(errors.Unavailable):
            walker.step()
            return True
        return False

    waiting.wait_for(is_walked, "nobody tells what there is", _TIMEOUT_S)
    assert not unread, unread


def options_of(url: str) -> cfg.ConfigOpts:
    """Return options of a process with the index at this address."""
    conf = load.load([], [], prog="orch-search")
    conf.set_override("connection", url, group="search")
    conf.set_override("folder", _folder().name, group="search")
    return conf


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Return the directory of this process's local files."""
    return tempfile.TemporaryDirectory(prefix="orch-search-")
