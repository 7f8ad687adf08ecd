"""The sensitive texts of a stack and of the tree around it."""

import collections.abc
import contextlib
import functools
import logging
import typing

from orch import errors
from orch import ids
from orch import redacted
from orch.db import engine as db_engine
from orch.db.repositories import secret_rows
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.secrets import redaction
from orch.engine.stack_inputs import store
from orch.flow.state import drift_records
from orch.model import marked
from orch.model import resource
from orch.model import stack
from orch.plugin import schema as plugin_schema
from orch.template import template

LOG = logging.getLogger(__name__)

Find = collections.abc.Callable[
    [db_engine.Connection, stack.Stack], template.Template | None
]
"""Returns the template of a stack; ``None`` where it cannot be read."""
Rows = collections.abc.Iterable[resource.Resource]
_UNKNOWN: typing.Final = "what it said may be secret, and is not kept"
"""What is stored of a text while it cannot be known what is sensitive."""


def read(
    connection: db_engine.Connection,
    root_id: ids.StackId,
    *,
    is_plain: bool = False,
) -> frozenset[str]:
    """Return what the resources of a tree have that is sensitive.

    :param is_plain: as :func:`of_rows` has it
    """
    return secret_rows.read_texts(connection, root_id, is_plain=is_plain)


def of_rows(rows: Rows, *, is_plain: bool = False) -> frozenset[str]:
    """Return what resources have that is sensitive, as texts.

    :param is_plain: without what only has the name of a secret
    """
    return frozenset().union(
        *(each.secret_texts(is_plain=is_plain) for each in rows)
    )


def of_parameters(
    parsed_template: template.Template, *, is_plain: bool = False
) -> frozenset[str]:
    """Return the values of the sensitive parameters of a stack, as texts.

    :param is_plain: without those, and parts of others, that only have the
        name of a secret, or are given to a property that is one
    :raises orch.errors.OrchError: such a parameter has no value
    """
    value = parsed_template.parameters.value
    if is_plain:
        found = [*map(value, parsed_template.sensitive_parameters)]
    else:
        found = [*map(value, parsed_template.secret_parameters)]
        for name, schema in parsed_template.parameters.schemas.items():
            if schema.type.kind is plugin_schema.Type.MAP:
                with contextlib.suppress(errors.OrchError):
                    found += _named_parts(value(name))
    return frozenset(
        text for each in found for text in redacted.find_texts(each) if text
    )


def _named_parts(value: object) -> collections.abc.Iterator[object]:
    return marked.parts(value, tuple(marked.find_named(value)))


def redaction_of(
    connection: db_engine.Connection,
    find: Find,
    stack: stack.Stack,
    *,
    secrets: frozenset[str] | None = None,
    template: template.Template | None = None,
    is_plain: bool = False,
) -> redaction.Redaction:
    """Return what is redacted in a stack.

    :param secrets: what :func:`read` gives, where that is known
    :param template: one that the stack is to have
    :param is_plain: as :class:`redaction.Redaction` has it
    """
    if secrets is None:
        secrets = read(connection, stack.root_id, is_plain=is_plain)
    found = [find(connection, each) for each in store.sources(stack)]
    if template is not None:
        found.append(template)
    around = [*found, *_templates_around(connection, find, stack)]
    return redaction.Redaction(
        secrets.union(
            *(
                of_parameters(each, is_plain=is_plain)
                for each in around
                if each is not None
            )
        ),
        parameters=frozenset().union(
            *(each.sensitive_parameters for each in found if each is not None)
        ),
        is_blind=None in around,
        is_plain=is_plain,
    )


def redact_said(
    connection: db_engine.Connection, find: Find, stack: stack.Stack, text: str
) -> str:
    """Return what a caller says of a stack, to be stored, redacted.

    It may quote a value of the stack. Secrets of resources are not read for a
    text that is too short for one.
    """
    if not text:
        return text
    secrets = frozenset[str]() if len(text) < redacted.SHORTEST else None
    try:
        found = redaction_of(connection, find, stack, secrets=secrets)
    except errors.OrchError as error:
        LOG.warning("a reason of stack %s: %s", stack.id, error)
        found = redaction.BLIND
    if found.is_blind:
        return _UNKNOWN
    return found.text(text)


def redacts_drift(find: Find) -> drift_records.RedactionIn:
    """Return the function that returns what redacts drift of stacks.

    In one transaction the resources of each tree are read once.
    """

    def begin(connection: db_engine.Connection) -> drift_records.RedactionOf:
        read_once = functools.cache(functools.partial(read, connection))
        return lambda stack: redaction_of(
            connection, find, stack, secrets=read_once(stack.root_id)
        )

    return begin


def _templates_around(
    connection: db_engine.Connection, find: Find, stack: stack.Stack
) -> collections.abc.Iterator[template.Template | None]:
    """Yield the templates of the stacks around one, as ``find`` returns them.

    A script of theirs with a hidden parameter in it is too long to be looked
    for, and the parameter is not.
    """
    while stack.parent_id is not None:
        outer = stacks.find(connection, stack.parent_id)
        if outer is None:
            return
        stack = outer
        for source in store.sources(stack):
            yield find(connection, source)


def redaction_of_new(
    parsed_template: template.Template,
) -> redaction.Redaction:
    """Return what is redacted in a stack that does not exist yet."""
    return redaction.Redaction(
        of_parameters(parsed_template),
        parameters=parsed_template.sensitive_parameters,
    )


def find_redaction(
    deps: dependencies.Dependencies,
    stack: stack.Stack,
    parsed_template: template.Template | None,
) -> redaction.Redaction:
    """Return what is redacted in the plan of a stack.

    :param parsed_template: the template that is brought about, if any
    """
    return deps.database.query(
        lambda connection: redaction_of(
            connection, deps.templates.find, stack, template=parsed_template
        )
    )


class Redactor:
    """Redacts the reasons that one stack writes.

    Reasons are stored redacted: the bus, sinks and the search index may read
    one after the resource that generated its secret is gone.
    """

    def __init__(
        self, database: db_engine.Database, find: Find, stack: stack.Stack
    ) -> None:
        self._database = database
        self._find = find
        self._stack = stack

    def __call__(self, text: str, rows: Rows = ()) -> str:
        """Return the text without what is sensitive by now.

        While it cannot be known what that is, only its beginning: the kind
        of an error.

        :param rows: resources that may have what is not stored yet
        """
        own = of_rows(rows)
        try:
            found = self._database.query(
                lambda connection: redaction_of(
                    connection,
                    self._find,
                    self._stack,
                    secrets=own | read(connection, self._stack.root_id),
                )
            )
        except errors.OrchError as error:
            LOG.warning("a reason of stack %s: %s", self._stack.id, error)
            found = redaction.BLIND
        if found.is_blind:
            kind, colon, _ = text.partition(":")
            is_kind = bool(colon) and kind.isidentifier()
            return f"{kind}: {_UNKNOWN}" if is_kind else _UNKNOWN
        return found.text(text)
