"""Documents as the tests of every index need them."""

import collections.abc
import contextlib
import pathlib
import sqlite3
import typing

from orch import clock
from orch.search import document as documents
from orch.search.index import port
from orch.search.query import nodes

USER = port.Scope(frozenset({"p1"}))
OTHER = port.Scope(frozenset({"p2"}))
ADMIN = port.Scope(None, is_admin=True)
ALL = nodes.All()


def at(seconds: float) -> clock.Timestamp:
    """Return a moment some seconds after the first one of the tests."""
    return clock.Timestamp(1_700_000_000.0 + seconds)


def stack(number: str, **values: typing.Any) -> documents.Document:
    """Return a stack's document; ``stack/NUMBER``."""
    return _document(documents.STACK, number, "OS::Heat::Stack", values)


def resource(number: str, **values: typing.Any) -> documents.Document:
    """Return a resource's document; ``resource/NUMBER``."""
    return _document(documents.RESOURCE, number, "OS::Nova::Server", values)


def _document(
    kind: str, number: str, type_name: str, values: dict[str, typing.Any]
) -> documents.Document:
    told: dict[str, typing.Any] = {
        "id": f"{kind}/{number}",
        "kind": kind,
        "stack_id": "s1",
        "root_id": "s1",
        "project_id": "p1",
        "path": f"shop/{number}",
        "name": number,
        "type": type_name,
        "action": "CREATE",
        "status": "COMPLETE",
        "created_at": at(0),
    }
    return documents.Document(**{**told, **values})


def stacked(
    *found: documents.Document,
    stack_id: str = "s1",
    version: int = 1,
    read_at: float = 1,
    redacted: collections.abc.Iterable[str] = (),
    **given: typing.Any,
) -> documents.StackDocuments:
    """Return all that there is of a stack."""
    return documents.StackDocuments(
        stack_id=stack_id,
        version=version,
        read_at=at(read_at),
        documents=found,
        redacted=frozenset(redacted),
        **given,
    )


def query(
    node: nodes.Node = ALL, scope: port.Scope = USER, **values: typing.Any
) -> port.Query:
    """Return a query, with room for all hits of a test."""
    return port.Query(node=node, scope=scope, **{"limit": 1000, **values})


def words(text: str, field: str = "", is_prefix: bool = False) -> nodes.Words:
    """Return the node of words that are split already."""
    return nodes.Words(tuple(text.split()), is_prefix, field)


def damage_documents(path: pathlib.Path) -> None:
    """Overwrite the table of documents in a file; the texts can be read."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'documents'"
        ).fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\x5a" * size)
