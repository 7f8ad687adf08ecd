"""The stacks of a tree as they were before an operation, for its post-ops.

They are stored with the first changes of the operation, as compressed JSON:
what its post-ops read does not depend on the worker that calls them.
"""

import collections.abc
import dataclasses
import functools
import json
import typing
import zlib

from orch.db import engine as db_engine
from orch.db.repositories import lifecycle as runs
from orch.model import lifecycle as model
from orch.plugin import lifecycle_operation
from orch.plugin import read_only_values

Stored = collections.abc.Mapping[str, typing.Any]

_FASTEST: typing.Final = 1


def capture_stacks(
    operations: collections.abc.Iterable[
        lifecycle_operation.LifecycleOperation
    ],
) -> bytes | None:
    """Return the stacks before an operation, to be stored.

    :param operations: the operation as each plug-in with a post-op sees it
    :returns: ``None`` where no stack exists yet
    """
    found = {
        view.path: view
        for each in operations
        if (view := each.before) is not None
    }
    if not found:
        return None
    return zlib.compress(
        json.dumps(found, default=_to_json).encode(), _FASTEST
    )


def find_stack(
    database: db_engine.Database, run: model.Run | None, path: str
) -> lifecycle_operation.StackView | None:
    """Return a stack as it was before an operation.

    :param run: the calls around it; ``None`` where there were none
    :param path: of the stack in its tree
    :returns: ``None`` where it is not stored
    """
    if run is None or not run.has_before:
        return None
    stored = database.query(functools.partial(runs.find_before, value=run))
    found = json.loads(zlib.decompress(stored)) if stored else {}
    return _stack(found[path]) if path in found else None


def _to_json(value: object) -> object:
    """Return a view, or a part of one, as JSON has it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            each.name: getattr(value, each.name)
            for each in dataclasses.fields(value)
        }
    if isinstance(value, collections.abc.Mapping):
        return dict(value)
    return str(value)


def _stack(stored: Stored) -> lifecycle_operation.StackView:
    resources = {
        name: _resource(each) for name, each in stored["resources"].items()
    }
    return lifecycle_operation.StackView(
        **{
            **_frozen(stored, lifecycle_operation.StackView),
            "resources": resources,
        }
    )


def _resource(stored: Stored) -> lifecycle_operation.ResourceView:
    child = stored["child_stack"]
    return lifecycle_operation.ResourceView(
        **{
            **_frozen(stored, lifecycle_operation.ResourceView),
            "child_stack": None if child is None else _stack(child),
        }
    )


def _frozen(stored: Stored, kind: type) -> dict[str, typing.Any]:
    """Return the fields of a view; a later release may have stored more."""
    return {
        each.name: read_only_values.freeze(stored[each.name])
        for each in dataclasses.fields(kind)
        if each.name in stored
    }
