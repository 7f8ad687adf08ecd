"""Check the resources that a retry excludes, down to those of child stacks."""

import collections
import collections.abc
import dataclasses
import functools

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.model import operation
from orch.model import resource
from orch.model import retry_exclusions
from orch.planner.steps import act
from orch.rpc import contract

_SEPARATOR = retry_exclusions.SEPARATOR
_COMPLETE = "it is complete"
_TWICE = "it can have only one of skip, orphan and replace"
_NOT_OURS = "the stack has not created it"


def extend_exclusions(
    connection: db_engine.Connection,
    failed: operation.Operation,
    options: contract.StackOptions,
) -> retry_exclusions.RetryExclusions:
    """Return the retry exclusions of an operation from now on.

    Exclusions of an earlier attempt stay.

    :raises orch.errors.Invalid: names and paths that cannot be excluded, all
        of them
    """
    before = retry_exclusions.RetryExclusions.of(failed.options)
    named = retry_exclusions.RetryExclusions.of(options)
    if named == retry_exclusions.NOTHING:
        return before
    if named.replace:
        _check_creating(failed)
    tree = _StackTree(connection, failed.stack_id)
    _check_exclusions(named.lists(), tree)
    return before.extended(
        dataclasses.replace(
            named,
            orphaned=tree.list_ids(named.orphan),
            replaced=tree.list_ids(named.replace),
        )
    )


def _check_creating(failed: operation.Operation) -> None:
    """Raise Invalid if an operation creates no resources.

    :raises orch.errors.Invalid: it does not
    """
    if failed.template_hash is None or failed.action in act.ACTIONS:
        raise errors.Invalid(
            f"Nothing can be replaced in the retry of this {failed.action}:"
            " leave out replace.",
            [errors.Problem("this action creates nothing", "replace")],
        )


class _NotThereError(Exception):
    """A path does not lead to a resource; its text says where it ends."""


class _StackTree:
    """The resources of a stack and of those below it, by path."""

    def __init__(
        self, connection: db_engine.Connection, stack_id: ids.StackId
    ) -> None:
        self._connection = connection
        self._stack_id = stack_id
        self._rows_of = functools.cache(self._read_rows)

    def find_unfinished(self, path: str) -> list[resource.Resource]:
        """Return the incarnations of a resource that are not complete.

        :raises _NotThereError: there is no such resource
        """
        rows = self._find(path.split(_SEPARATOR))
        return [row for row in rows if not row.is_complete]

    def list_ids(
        self, paths: collections.abc.Iterable[str]
    ) -> frozenset[ids.ResourceId]:
        """Return the ids of the unfinished incarnations of resources."""
        return frozenset(
            row.id for path in paths for row in self.find_unfinished(path)
        )

    def _find(
        self, names: collections.abc.Sequence[str]
    ) -> list[resource.Resource]:
        *outer, name = names
        holders = self._find_holders(outer) if outer else [self._stack_id]
        found = [row for each in holders for row in self._rows_of(each)]
        found = [row for row in found if row.name == name]
        if not found:
            around = _SEPARATOR.join(outer)[:255]
            raise _NotThereError(
                f"the child stack {around} has no resource {name[:255]}"
                if around
                else f"the stack has no such resource as {name[:255]}"
            )
        return found

    def _find_holders(
        self, names: collections.abc.Sequence[str]
    ) -> list[ids.StackId]:
        """Return the child stacks that the incarnations of a resource are."""
        wanted = [ids.StackId(row.id) for row in self._find(names)]
        found = sorted(stacks.find_known(self._connection, wanted))
        if not found:
            path = _SEPARATOR.join(names)[:255]
            raise _NotThereError(f"{path} is no child stack")
        return found

    def _read_rows(self, stack_id: ids.StackId) -> list[resource.Resource]:
        rows = resources.list_(self._connection, stack_id)
        return [row for row in rows if not row.is_gone]


def _check_exclusions(
    lists: collections.abc.Mapping[str, frozenset[str]], tree: _StackTree
) -> None:
    named = collections.Counter(
        path for paths in lists.values() for path in paths
    )
    problems = [
        errors.Problem(f"{path[:255]}: {why}", f"{key}.{path[:255]}")
        for key, paths in lists.items()
        for path in sorted(paths)
        if (why := _why_not(key, path, named, tree))
    ]
    if problems:
        listed = "; ".join(dict.fromkeys(each.message for each in problems))
        raise errors.Invalid(
            f"Only resources that are not complete can be left out: {listed}.",
            problems,
        )


def _why_not(
    key: str, path: str, named: collections.Counter[str], tree: _StackTree
) -> str:
    """Return why an option cannot apply to a resource; empty if it can."""
    if named[path] > 1:
        return _TWICE
    names = path.split(_SEPARATOR)
    for length in range(1, len(names)):
        outer = _SEPARATOR.join(names[:length])
        if outer in named:
            return f"{outer[:255]} is left out with all that it holds"
    try:
        rows = tree.find_unfinished(path)
    except _NotThereError as error:
        return str(error)
    is_ours = all(
        not each.is_unadopted and each.external_id is None for each in rows
    )
    if rows and (is_ours or key != "replace"):
        return ""
    return _NOT_OURS if rows else _COMPLETE
