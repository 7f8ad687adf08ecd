"""Which templates decide what is hidden in a plan of a stack."""

import collections.abc
import dataclasses
import logging
import typing

import cachetools

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import secret_rows
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.secrets import generated
from orch.engine.secrets import masks
from orch.engine.secrets import named
from orch.engine.stack_inputs import store
from orch.model import flat_fields
from orch.model import observation
from orch.model import presigned
from orch.model import resource
from orch.model import secret_types
from orch.model import stack
from orch.model import states
from orch.template import template

_MOST_STACKS: typing.Final = 32
"""Of a tree with more stacks the resources are looked at, always."""
_MOST_KEPT: typing.Final = 4096


class MadeSecrets:
    """Keeps which templates have no resource that makes up a secret.

    One thread uses it.
    """

    def __init__(self) -> None:
        """Know of no template."""
        self._without: cachetools.FIFOCache[store.Key, bool] = (
            cachetools.FIFOCache(_MOST_KEPT)
        )

    def know(
        self, stack: stack.Stack, parsed_template: template.Template
    ) -> None:
        """Look at a template of a stack, which is read already."""
        if not generated.may_make(parsed_template):
            self._without[store.key_of(stack)] = True

    def read(
        self, connection: db_engine.Connection, root_id: ids.StackId
    ) -> frozenset[str]:
        """Return the secrets that resources of a tree have made up by now."""
        found = secret_rows.list_stack_templates(
            connection, root_id, _MOST_STACKS + 1
        )
        if len(found) <= _MOST_STACKS and all(map(self._has_none, found)):
            return frozenset()
        return made_up(connection, root_id)

    def _has_none(self, found: secret_rows.StackTemplates) -> bool:
        """Answer whether all that stands is of a template without secrets.

        What an update has left that failed may be of any template before.
        """
        is_of_it = found.action is states.Action.CREATE or (
            found.action in states.BRINGING_ABOUT
            and found.status is states.Status.COMPLETE
        )
        return is_of_it and (
            store.Key(
                found.stack_id, found.template_hash, found.environment_hash
            )
            in self._without
        )


LOG = logging.getLogger(__name__)

Find = collections.abc.Callable[
    [db_engine.Connection, stack.Stack], template.Template | None
]
Rows = collections.abc.Iterable[resource.Resource]


def of(
    deps: dependencies.Dependencies,
    before: stack.Stack,
    parsed_template: template.Template | None,
    *,
    is_strict: bool = True,
) -> masks.Masks:
    """Return the masks of a plan.

    What stands may come from the template in force, or from the one that
    was complete last.

    :param before: the stack as it is now
    :param parsed_template: the template that is brought about, if any
    :param is_strict: as :class:`orch.engine.secrets.masks.Masks` has it
    """

    def read(
        connection: db_engine.Connection,
    ) -> tuple[list[template.Template | None], frozenset[str]]:
        found = [
            deps.templates.find(connection, each)
            for each in store.sources(before)
        ]
        return found, made_up(connection, before.root_id)

    found, made = deps.database.query(read)
    readable = [each for each in found if each is not None]
    if parsed_template is not None:
        readable.append(parsed_template)
    return masks.Masks(
        readable, is_blind=None in found, texts=made, is_strict=is_strict
    )


def around(
    connection: db_engine.Connection, find: Find, stack: stack.Stack
) -> masks.Masks:
    """Return what covers what a stack hides, and what those around it do.

    A property may have led a hidden value into a parameter that is not
    hidden. This is for what Heat answers in plain to users who may look at
    the stack.

    :param find: gives the template of a stack, ``None`` where it cannot be
        read
    """
    return _around(connection, find, stack, is_strict=False)


def outside(
    connection: db_engine.Connection,
    find: Find,
    stack: stack.Stack,
    made: frozenset[str] | None = None,
) -> masks.Masks:
    """Return the masks of events, drift and all that leaves the service.

    Parts of a hidden value that came by way of an attribute are covered too,
    secrets that resources of the tree have generated, and literals under the
    name of a secret.

    :param made: what :func:`made_up` gives, where that is known
    """
    if made is None:
        made = made_up(connection, stack.root_id)
    return _around(connection, find, stack, is_strict=True, texts=made)


def made_up(
    connection: db_engine.Connection, root_id: ids.StackId
) -> frozenset[str]:
    """Return the secrets that resources of a tree have made up by now."""
    return _made_by(
        secret_rows.list_in_tree(connection, root_id, secret_types.TYPES)
    )


def _made_by(rows: Rows) -> frozenset[str]:
    found = (
        secret_types.secret_of(row.plugin_type, row.attributes, row.data)
        for row in rows
    )
    return frozenset(text for text in found if text)


def _around(
    connection: db_engine.Connection,
    find: Find,
    stack: stack.Stack,
    *,
    is_strict: bool,
    texts: frozenset[str] = frozenset(),
) -> masks.Masks:
    outer = (
        None
        if stack.parent_id is None
        else stacks.find(connection, stack.parent_id)
    )
    covers = (
        None
        if outer is None
        else _around(connection, find, outer, is_strict=is_strict, texts=texts)
    )
    found = [find(connection, each) for each in store.sources(stack)]
    return masks.Masks(
        [each for each in found if each is not None],
        is_blind=None in found,
        texts=texts,
        around=covers,
        resource=stack.parent_resource or "",
        is_strict=is_strict,
    )


def find_outer(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    stack: stack.Stack,
) -> masks.Masks | None:
    """Return what covers what the stacks around hide; ``None`` with none.

    What a root hides is known by the names of its parameters.
    """
    if stack.parent_id is None:
        return None
    return around(connection, deps.templates.find, stack)


def shown_environment(
    parsed_template: template.Template, outer: masks.Masks | None
) -> dict[str, object]:
    """Return the environment of a stack, what is hidden covered.

    :param outer: covers what the stacks around hide
    """
    shown = parsed_template.shown_environment()
    if outer is None:
        return shown
    for section in ("parameters", "parameter_defaults"):
        values = shown[section]
        assert isinstance(values, dict)
        shown[section] = {
            name: outer.shown(value, is_hidden=outer.hides_parameter(name))
            for name, value in values.items()
        }
    return shown


def shown_template(
    connection: db_engine.Connection, find: Find, stack: stack.Stack
) -> dict[str, object]:
    """Return the template of a stack; that of a child stack is redacted.

    The parent computes it, so values of hidden parameters may be in it. The
    template of a root stack is as its user wrote it.

    :returns: no part of the template of a child stack if the templates that
        tell what is hidden cannot be read any more
    :raises orch.errors.NotFound: a content is missing
    """
    written = store.read_template(connection, stack)
    if stack.parent_id is None:
        return written
    covers = around(connection, find, stack)
    if covers.is_blind:
        return {}
    return typing.cast(
        "dict[str, object]", covers.shown(written, is_hidden=False)
    )


def shown_parameters(
    parsed_template: template.Template, outer: masks.Masks | None
) -> dict[str, str]:
    """Return the parameters as texts, what is hidden covered.

    :param outer: covers what the stacks around hide
    """
    shown = parsed_template.shown_parameters()
    if outer is None:
        return shown
    return {
        name: masks.HIDDEN
        if outer.hides_parameter(name)
        else outer.covered(text)
        for name, text in shown.items()
    }


def shown_properties(
    covers: masks.Masks,
    resource_name: str,
    properties: collections.abc.Mapping[str, object],
) -> dict[str, object]:
    """Return the properties of a resource, what is hidden covered."""
    return {
        name: shown_property(covers, resource_name, name, properties, value)
        for name, value in properties.items()
    }


def shown_property(
    covers: masks.Masks,
    resource_name: str,
    name: str,
    names: collections.abc.Container[str],
    value: object,
) -> object:
    """Return the value of a property, what is hidden covered.

    :param names: of all properties that the resource has
    """
    is_hidden = flat_fields.is_secret(name) or covers.hides(
        resource_name, name, names
    )
    return covers.shown(
        named.redact_in(value),
        is_hidden=is_hidden,
        is_suspect=not is_hidden
        and covers.suspects(resource_name, name, names),
    )


def shown_differences(
    covers: masks.Masks,
    row: resource.Resource,
    differences: collections.abc.Iterable[observation.Difference],
) -> tuple[observation.Difference, ...]:
    """Return what has drifted, what is hidden covered."""

    def shown(each: observation.Difference) -> observation.Difference:
        expected, live = (
            shown_property(
                covers, row.name, each.property, row.properties, value
            )
            for value in (each.expected, each.live)
        )
        return dataclasses.replace(each, expected=expected, live=live)

    return tuple(shown(each) for each in differences)


class Cover:
    """Covers texts of one stack; looks at templates when there is one.

    What it covers is written down so, and leaves so: the bus, sinks and the
    search index may come to it when a secret that it told is long gone.
    """

    def __init__(
        self, database: db_engine.Database, find: Find, stack: stack.Stack
    ) -> None:
        self._database = database
        self._find = find
        self._stack = stack
        self._known: tuple[frozenset[str], masks.Masks] | None = None

    def __call__(self, text: str, rows: Rows = ()) -> str:
        """Return the text without what :func:`outside` covers by now.

        While it cannot be known what that is, only its beginning: the kind
        of an error.

        :param rows: resources that may have made up what is not stored yet
        """
        own = _made_by(rows)
        try:
            covers = self._database.query(
                lambda connection: self._look(connection, own)
            )
        except errors.OrchError as error:
            LOG.warning("a reason of stack %s: %s", self._stack.id, error)
            kind = text.partition(":")[0]
            return f"{kind}: what it said may be secret, and is not kept"
        return presigned.redact_presigned(covers.covered(text))

    def _look(
        self, connection: db_engine.Connection, own: frozenset[str]
    ) -> masks.Masks:
        """Return what covers; secrets may be made up at any time."""
        made = own | made_up(connection, self._stack.root_id)
        if self._known is None or self._known[0] != made:
            covers = outside(connection, self._find, self._stack, made)
            self._known = made, covers
        return self._known[1]
