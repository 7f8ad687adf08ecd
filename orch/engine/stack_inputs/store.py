"""Store and read the inputs of a stack: template, files and environment.

Documents are stored as JSON that Python's own module writes and reads: it
preserves the order of keys, which templates show, and integers of any size.
"""

import collections.abc
import dataclasses
import json
import typing

from orch.db import engine as db_engine
from orch.db.repositories import contents
from orch.db.repositories import event_sinks
from orch.model import stack
from orch.template import inputs
from orch.template import template
from orch.template.text import document

Files = collections.abc.Mapping[str, str]

_SEPARATORS: typing.Final = (",", ":")
_MARKS: typing.Final = frozenset(
    {"sensitive_parameters", "sensitive_parts", "has_sensitive_facade"}
)


class Environment(typing.TypedDict):
    """The document stored with a template; ``files``: name to content hash.

    ``around`` is there for a child stack; ``source`` where the template came
    as a text: the hash of that, to find lines by; ``kept_sinks`` where an
    update left secrets of event sinks as they were. A key never changes its
    name: the document is stored under the hash of its text.
    """

    environment: object
    parameters: dict[str, object]
    files: dict[str, str]
    environment_files: list[str]
    around: typing.NotRequired[dict[str, typing.Any]]
    source: typing.NotRequired[str]
    kept_sinks: typing.NotRequired[list[dict[str, object]]]


@dataclasses.dataclass(frozen=True, slots=True)
class Key:
    """The key of a loaded template: what it depends on."""

    stack_id: str
    template_hash: str
    environment_hash: str


def store_inputs(
    connection: db_engine.Connection,
    given: inputs.Inputs,
    parsed_template: template.Template,
) -> tuple[str, str]:
    """Store the inputs of a stack; contents that exist are reused.

    :param parsed_template: the template of these inputs; its object is stored,
        so that a text is not parsed again
    :returns: content hashes of the template and of the environment
    """
    return store_many(connection, [(given, parsed_template)])[0]


def store_many(
    connection: db_engine.Connection,
    requests: collections.abc.Sequence[
        tuple[inputs.Inputs, template.Template]
    ],
) -> list[tuple[str, str]]:
    """Store the inputs of several stacks, as :func:`store_inputs` does.

    :returns: content hashes of each template and of its environment
    """
    found = [
        documents_of_request(given, parsed_template.raw)
        for given, parsed_template in requests
    ]
    texts = dict.fromkeys(
        text
        for (given, _), each in zip(requests, found, strict=True)
        for text in (*given.files.values(), each.source)
        if text is not None
    )
    stored = contents.save_texts(
        connection,
        [
            *(each.template for each in found),
            *(each.environment for each in found),
            *texts,
        ],
    )
    hashes = list(
        zip(stored[: len(found)], stored[len(found) :], strict=False)
    )
    for (given, parsed_template), (_, environment_hash) in zip(
        requests, hashes, strict=True
    ):
        sinks = parsed_template.event_sinks
        if given.around is None and sinks:
            event_sinks.save_sinks(connection, environment_hash, sinks)
    return hashes


@dataclasses.dataclass(frozen=True, slots=True)
class Documents:
    """The stored texts of a request, without its files.

    :ivar source: the text of the template; ``None`` where it is not stored.
        That of a child stack is among the files, and a changed comment in it
        does not change the stack
    """

    template: str
    environment: str
    source: str | None

    @property
    def hashes(self) -> tuple[str, str]:
        """The content hashes of both texts."""
        return (
            contents.hash_of(self.template),
            contents.hash_of(self.environment),
        )


def documents_of_request(
    given: inputs.Inputs,
    raw: collections.abc.Mapping[str, object],
) -> Documents:
    """Return the documents to store for a request.

    :param raw: its template as an object
    """
    environment = Environment(
        environment=given.environment,
        parameters=dict(given.parameters),
        files={
            name: contents.hash_of(text) for name, text in given.files.items()
        },
        environment_files=list(given.environment_files),
    )
    if given.around is not None:
        environment["around"] = {
            key: value
            for key, value in dataclasses.asdict(given.around).items()
            # A document without marks keeps the hash it had before marks.
            if value or key not in _MARKS
        }
    if given.stored_sinks:
        environment["kept_sinks"] = [dict(one) for one in given.stored_sinks]
    source = (given.text or None) if given.around is None else None
    if source is not None:
        environment["source"] = contents.hash_of(source)
    return Documents(
        json.dumps(raw, separators=_SEPARATORS),
        json.dumps(environment, separators=_SEPARATORS),
        source,
    )


def read_template(
    connection: db_engine.Connection, stack: stack.Stack
) -> dict[str, object]:
    """Return a stack's template as it was given, as an object.

    :raises orch.errors.NotFound: a content is missing
    """
    found: dict[str, object] = json.loads(
        contents.get_text(connection, stack.template_hash)
    )
    return found


def read_files(
    connection: db_engine.Connection, stack: stack.Stack
) -> dict[str, str]:
    """Return the files of a stack's template, name to text.

    :raises orch.errors.NotFound: a content is missing
    """
    text = contents.get_text(connection, stack.environment_hash)
    return _read_texts(connection, json.loads(text)["files"])


def read_document(
    connection: db_engine.Connection, stack: stack.Stack
) -> document.Document:
    """Return a stack's template with the lines of its text.

    :raises orch.errors.NotFound: a content is missing
    """
    raw, environment = _read_both(connection, stack)
    return document.Document(
        raw,
        _read_source(connection, environment),
    )


def read_inputs(
    connection: db_engine.Connection, stack: stack.Stack
) -> inputs.Inputs:
    """Return the inputs of a stack.

    :raises orch.errors.NotFound: a content is missing
    """
    raw, environment = _read_both(connection, stack)
    return assembled(
        raw,
        environment,
        _read_texts(connection, environment["files"]),
        _read_source(connection, environment),
    )


def assembled(
    raw: dict[str, object],
    environment: Environment,
    files: dict[str, str],
    source: str,
) -> inputs.Inputs:
    """Return the inputs of a stack, assembled from its contents.

    :param files: name to text
    :param source: the template as it came; empty where it was not a text
    """
    return inputs.Inputs(
        template=raw,
        environment=environment["environment"],
        parameters=environment["parameters"],
        files=files,
        environment_files=environment["environment_files"],
        around=_context_of_parent(environment.get("around")),
        source=source,
        stored_sinks=environment.get("kept_sinks", ()),
    )


def read_source(connection: db_engine.Connection, stack: stack.Stack) -> str:
    """Return the template as it came; empty where it was not a text.

    :raises orch.errors.NotFound: a content is missing
    """
    return _read_source(connection, _read_both(connection, stack)[1])


def _read_both(
    connection: db_engine.Connection, stack: stack.Stack
) -> tuple[dict[str, object], Environment]:
    """Return a stack's template and its environment document.

    :raises orch.errors.NotFound: a content is missing
    """
    found = contents.get_many(
        connection, {stack.template_hash, stack.environment_hash}
    )
    return (
        json.loads(found[stack.template_hash]),
        json.loads(found[stack.environment_hash]),
    )


def _context_of_parent(
    found: dict[str, typing.Any] | None,
) -> inputs.ParentContext | None:
    if found is None:
        return None
    return inputs.ParentContext(
        found["depth"],
        found["facade"],
        tuple(found["without"]),
        tuple(found.get("sensitive_parameters", ())),
        tuple(map(tuple, found.get("sensitive_parts", ()))),
        found.get("has_sensitive_facade", False),
    )


def _read_source(
    connection: db_engine.Connection, environment: Environment
) -> str:
    hash_ = environment.get("source")
    return contents.get_text(connection, hash_) if hash_ else ""


def _read_texts(
    connection: db_engine.Connection, hashes: Files
) -> dict[str, str]:
    if not hashes:
        return {}
    found = contents.get_many(connection, hashes.values())
    return {name: found[hash_] for name, hash_ in hashes.items()}


def key_of(stack: stack.Stack) -> Key:
    """Return the key of a stack's template, to compare it."""
    return Key(stack.id, stack.template_hash, stack.environment_hash)


def sources(stack: stack.Stack) -> list[stack.Stack]:
    """Return the stack once for each template its resources may be from.

    Those are the one in force, and the last that was complete.
    """
    template_hash = stack.good_template_hash
    environment_hash = stack.good_environment_hash
    if not template_hash or not environment_hash:
        return [stack]
    good = dataclasses.replace(
        stack,
        template_hash=template_hash,
        environment_hash=environment_hash,
    )
    return [stack] if good == stack else [stack, good]
