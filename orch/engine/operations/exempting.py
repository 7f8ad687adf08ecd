"""Which resources a retry may leave out: only what is not complete."""

import collections.abc

from orch import errors
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.model import exemption
from orch.model import operation
from orch.model import resource
from orch.rpc import contract

_NEVER_MADE = "the stack has no such resource"
_COMPLETE = "it is complete"
_BOTH = "it cannot be skipped and orphaned at once"


def extended(
    connection: db_engine.Connection,
    failed: operation.Operation,
    options: contract.StackOptions,
) -> exemption.Exemption:
    """Return what the operation leaves out from now on.

    What an earlier attempt was told to leave out stays left out. Where
    nothing is to be left of the stack, what is skipped is left behind as an
    orphan is.

    :raises orch.errors.Invalid: names that cannot be left out, all of them
    """
    before = exemption.Exemption.of(failed.options)
    skip = frozenset(options.get("skip") or ())
    orphan = frozenset(options.get("orphan") or ())
    if not skip and not orphan:
        return before
    unfinished = _unfinished(resources.list_(connection, failed.stack_id))
    _check(skip, orphan, unfinished)
    left = orphan if failed.template_hash is not None else orphan | skip
    return exemption.Exemption(
        skip=(before.skip | skip) - orphan,
        orphan=before.orphan | orphan,
        orphaned=before.orphaned.union(
            row.id for name in left for row in unfinished[name]
        ),
    )


def _unfinished(
    rows: collections.abc.Iterable[resource.Resource],
) -> dict[str, list[resource.Resource]]:
    """Return the incarnations that are not complete, by name.

    A name whose incarnations are all complete has an empty list.
    """
    found: dict[str, list[resource.Resource]] = {}
    for row in rows:
        if not row.is_gone:
            kept = found.setdefault(row.name, [])
            kept.extend([] if row.is_complete else [row])
    return found


def _check(
    skip: frozenset[str],
    orphan: frozenset[str],
    unfinished: collections.abc.Mapping[str, object],
) -> None:
    problems = [
        errors.Problem(f"{name[:255]}: {why}", f"{key}.{name[:255]}")
        for key, names in (("skip", skip), ("orphan", orphan))
        for name in sorted(names)
        if (why := _why_not(name, skip & orphan, unfinished))
    ]
    if problems:
        listed = "; ".join(dict.fromkeys(each.message for each in problems))
        raise errors.Invalid(
            f"Only resources that are not complete can be left out: {listed}.",
            problems,
        )


def _why_not(
    name: str,
    both: frozenset[str],
    unfinished: collections.abc.Mapping[str, object],
) -> str:
    if name in both:
        return _BOTH
    if name not in unfinished:
        return _NEVER_MADE
    return "" if unfinished[name] else _COMPLETE
