"""Between a stored stack and its template: contents in, template out.

Documents are kept as JSON that Python's own module writes and reads: it
keeps the order of keys, which templates show, and integers of any size.
"""

import collections
import collections.abc
import dataclasses
import json
import threading
import typing

from orch import errors
from orch.db import engine as db_engine
from orch.db.repositories import contents
from orch.model import stack
from orch.plugin import registry
from orch.template import identity
from orch.template import inputs as template_inputs
from orch.template import installation
from orch.template import limits as template_limits
from orch.template import template

Files = collections.abc.Mapping[str, str]

_MOST_TEMPLATES = 256
_MOST_RESOURCES = 20_000


class Environment(typing.TypedDict):
    """What is stored beside the template; ``files``: name to content hash.

    ``around`` stands there for a stack in a stack.
    """

    environment: object
    parameters: dict[str, object]
    files: dict[str, str]
    environment_files: list[str]
    around: typing.NotRequired[dict[str, typing.Any]]


@dataclasses.dataclass(frozen=True, slots=True)
class Key:
    """What a template in use depends on."""

    stack_id: str
    template_hash: str
    environment_hash: str


def store_inputs(
    connection: db_engine.Connection,
    given: template_inputs.Inputs,
    bound: template.Template,
) -> tuple[str, str]:
    """Store what a stack was asked for; what is there already stays.

    :param bound: the template of these inputs; its object is stored, so
        that a text is not parsed again
    :returns: content hashes of the template and of the environment
    """
    found = documents(given, bound.raw)
    stored = contents.put(
        connection,
        [found.template, found.environment, *given.files.values()],
    )
    return stored[0], stored[1]


@dataclasses.dataclass(frozen=True, slots=True)
class Documents:
    """What is stored of a request, beside its files, as text."""

    template: str
    environment: str

    @property
    def hashes(self) -> tuple[str, str]:
        """The hashes that they are stored under."""
        return (
            contents.hash_of(self.template),
            contents.hash_of(self.environment),
        )


def documents(
    given: template_inputs.Inputs,
    raw: collections.abc.Mapping[str, object],
) -> Documents:
    """Return what is stored of a request.

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
        environment["around"] = dataclasses.asdict(given.around)
    return Documents(_dump(raw), _dump(environment))


def read_template(
    connection: db_engine.Connection, subject: stack.Stack
) -> dict[str, object]:
    """Return a stack's template as it was given, as an object.

    :raises orch.errors.NotFound: a content is missing
    """
    found: dict[str, object] = json.loads(
        contents.get(connection, subject.template_hash)
    )
    return found


def read_files(
    connection: db_engine.Connection, subject: stack.Stack
) -> dict[str, str]:
    """Return the files beside a stack's template, name to text.

    :raises orch.errors.NotFound: a content is missing
    """
    text = contents.get(connection, subject.environment_hash)
    return _read_files(connection, json.loads(text)["files"])


def read_inputs(
    connection: db_engine.Connection, subject: stack.Stack
) -> template_inputs.Inputs:
    """Return what a stack was asked for.

    :raises orch.errors.NotFound: a content is missing
    """
    found = contents.get_many(
        connection, {subject.template_hash, subject.environment_hash}
    )
    environment: Environment = json.loads(found[subject.environment_hash])
    return template_inputs.Inputs(
        template=json.loads(found[subject.template_hash]),
        environment=environment["environment"],
        parameters=environment["parameters"],
        files=_read_files(connection, environment["files"]),
        environment_files=environment["environment_files"],
        around=_around(environment.get("around")),
    )


def _around(
    found: dict[str, typing.Any] | None,
) -> template_inputs.Around | None:
    if found is None:
        return None
    return template_inputs.Around(
        found["depth"], found["facade"], tuple(found["without"])
    )


class Templates:
    """Templates of stored stacks; those used last are kept in memory."""

    def __init__(
        self,
        types: registry.ResourceTypes,
        limits: template_limits.Limits,
        most_templates: int = _MOST_TEMPLATES,
        most_resources: int = _MOST_RESOURCES,
        *,
        installed: installation.Installation = installation.NOTHING,
    ) -> None:
        """Keep nothing yet.

        :param limits: those of how large a request may be do not count here:
            a stack that was accepted stays readable when they are lowered
        :param most_templates: kept in memory at once
        :param most_resources: of all kept templates together; one template
            is kept however large it is
        :param installed: what holds below the environments of all stacks
        """
        self._types = types
        self._installed = installed
        self._limits = dataclasses.replace(
            limits, template_size=-1, resources=-1
        )
        self._most_templates = most_templates
        self._most_resources = most_resources
        self._kept: collections.OrderedDict[Key, template.Template] = (
            collections.OrderedDict()
        )
        self._resources = 0
        self._lock = threading.Lock()

    def load(
        self, connection: db_engine.Connection, subject: stack.Stack
    ) -> template.Template:
        """Return the template of a stack with all its inputs.

        :raises orch.errors.Invalid: the plug-ins of today refuse it
        """
        key = key_of(subject)
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        found = template.Template.load(
            _inputs(connection, subject),
            self._types,
            identity.Identity(subject.id, subject.name, subject.project_id),
            self._limits,
            installed=self._installed,
        )
        self._keep(key, found)
        return found

    def find(
        self, connection: db_engine.Connection, subject: stack.Stack
    ) -> template.Template | None:
        """Return it; ``None`` when the plug-ins of today refuse it."""
        try:
            return self.load(connection, subject)
        except errors.Invalid:
            return None

    def keep(self, subject: stack.Stack, bound: template.Template) -> None:
        """Know the template of a stack that was just stored."""
        self._keep(key_of(subject), bound)

    def _keep(self, key: Key, bound: template.Template) -> None:
        with self._lock:
            replaced = self._kept.pop(key, None)
            if replaced is not None:
                self._resources -= _size(replaced)
            self._kept[key] = bound
            self._resources += _size(bound)
            while len(self._kept) > 1 and (
                len(self._kept) > self._most_templates
                or self._resources > self._most_resources
            ):
                _, oldest = self._kept.popitem(last=False)
                self._resources -= _size(oldest)


def _inputs(
    connection: db_engine.Connection, subject: stack.Stack
) -> template_inputs.Inputs:
    try:
        return read_inputs(connection, subject)
    except errors.NotFound as error:
        # Not the caller's mistake: it must not read as "no such stack".
        raise errors.OrchError(
            f"contents of stack {subject.id} are missing: {error.message}"
        ) from error


def _read_files(
    connection: db_engine.Connection, hashes: Files
) -> dict[str, str]:
    if not hashes:
        return {}
    found = contents.get_many(connection, hashes.values())
    return {name: found[hash_] for name, hash_ in hashes.items()}


def _size(bound: template.Template) -> int:
    """Return how many resources are written down, without parsing them."""
    section = bound.raw.get(bound.version.format.resources)
    return len(section) if isinstance(section, dict) else 0


def key_of(subject: stack.Stack) -> Key:
    """Return what the template of a stack depends on, to compare it by."""
    return Key(subject.id, subject.template_hash, subject.environment_hash)


def _dump(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
