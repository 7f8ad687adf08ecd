"""``orch-manage search``: commands on the search index.

They work while no orch-search runs; a running one reads within seconds what it
is to do.
"""

import argparse
import collections.abc
import contextlib
import pathlib
import typing

from oslo_config import cfg
from oslo_db import options

from orch import clock
from orch.cmd import process
from orch.search.index import factory
from orch.search.index import port
from orch.search.indexing import full_scan_state
from orch.search.rpc import endpoints

FILE: typing.Final = "search.db"
"""Name of the index in the state directory of orch-all."""

STATE_DIR: typing.Final = (
    "--state-dir",
    {
        "type": pathlib.Path,
        "metavar": "DIR",
        "help": "the index of the orch-all with this state directory (default:"
        " the one of [search] connection)",
    },
)
"""The argument that says that a command is about the index of an orch-all."""

_MIB = 2**20


def show_index(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    """Print how the index stands; nothing of it is made or changed.

    :raises orch.cmd.process.Failure: there is none that can be asked
    """
    with _opened(conf, arguments.state_dir) as index:
        _check_readable(index)
        status = endpoints.status_of(index)
    filled_at = status["filled_at"]
    fill_progress = status["fill_progress"]
    said = "never filled"
    if filled_at is not None:
        said = f"filled at {clock.isoformat(clock.Timestamp(filled_at))}"
    print(f"{status['stacks']} stacks, {status['documents']} documents")
    print(f"{status['pending']} stacks to read again")
    print(
        f"{status['stored_bytes'] / _MIB:.1f} MiB stored,"
        f" {status['text_bytes'] / _MIB:.1f} MiB of text"
    )
    print(
        said
        if fill_progress is None
        else f"{said}; {fill_progress:.0%} of a fill done"
    )
    for each in status["unlisted_types"]:
        print(
            f"orphans of type {each['type']} are as they were, with"
            f" {each['projects']} projects: {each['reason']}"
        )


def refill_index(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    """Let all stacks be read again."""
    _begin(conf, arguments, from_nothing=False)


def rebuild_index(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    """Forget the whole index, and let it be filled."""
    _begin(conf, arguments, from_nothing=True)


def _begin(
    conf: cfg.ConfigOpts, arguments: argparse.Namespace, *, from_nothing: bool
) -> None:
    with _opened(conf, arguments.state_dir) as index:
        index.prepare()
        full_scan_state.begin_fill(index, from_nothing=from_nothing)
    print("orch-search reads all stacks again; see orch-manage search status")


def _check_readable(index: port.Index) -> None:
    index_state = index.index_state()
    if not index_state.is_ready:
        raise process.Failure(f"{index_state}.")


def open_index(conf: cfg.ConfigOpts) -> port.Index:
    """Return the index that the options name; not prepared yet.

    :raises orch.errors.Invalid: they name none, or none that we know
    """
    conf.register_opts(options.database_opts, "database")
    return factory.open_index(conf)


def open_saved_store(conf: cfg.ConfigOpts) -> port.SavedStore:
    """Return the store of saved searches; not connected yet.

    :raises orch.errors.Invalid: as :func:`open_index`
    """
    conf.register_opts(options.database_opts, "database")
    return factory.open_saved_store(conf)


@contextlib.contextmanager
def _opened(
    conf: cfg.ConfigOpts, state_dir: pathlib.Path | None
) -> collections.abc.Iterator[port.Index]:
    if state_dir is not None:
        if not state_dir.expanduser().is_dir():
            raise process.Failure(
                f"There is no directory {state_dir}: give the state directory"
                " of the orch-all."
            )
        file = state_dir.expanduser().absolute() / FILE
        conf.set_override("connection", f"sqlite:///{file}", group="search")
    index = open_index(conf)
    try:
        yield index
    finally:
        index.close()
