"""The document that a stack is adopted from, read into values.

It is laid out as Heat exports a stack; by hand only the template and, for
each resource, ``resource_id`` need be written. An entry that bears
``resources`` is a stack in the stack: a document of the same layout.
"""

import collections.abc
import dataclasses
import enum
import re
import typing

from orch import clock
from orch import errors
from orch.model import heat_entries
from orch.model import marked
from orch.model import states

Values = collections.abc.Mapping[str, object]
Documents = collections.abc.Mapping[str, Values]
"""What child stacks are adopted from, by name of the resource of each."""

FORMAT: typing.Final = "document_format"
"""Key of a document: the number of its format; Heat passes it over."""

PLAIN_FORMAT: typing.Final = 1
"""Heat's layout, and what Orch adds to it."""

COMPACT_FORMAT: typing.Final = 2
"""The same with each text once, compressed."""

_UNFINISHED: typing.Final = ("FAILED", "IN_PROGRESS")
_TOKEN_TEXT: typing.Final = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)


VERIFY: typing.Final = "adopt_verify"
"""Option of an operation: a :class:`Verify`."""

OTHER_TYPES: typing.Final = "adopt_other_types"
"""Option: types that differ from the template, by name of the resource."""

UNUSED: typing.Final = "adopt_unused"
"""Option: physical ids that no resource of the template has, by name."""

OWNED: typing.Final = "adopt_owned"
"""Option: things that another stack owns are taken as well."""

SOURCES: typing.Final = "adopt_from"
"""Option: what may be taken, the paths in each tree by the id of its root."""

TAKEN_OVER: typing.Final = "Taken over by stack"
"""How the reason of a resource begins whose thing another stack took."""

NEEDS_IDS: typing.Final = "adopt_needs_ids"
"""Option: what has no id is not made, its adoption fails."""

CHILD_STACKS: typing.Final = "adopted_stacks"
"""Option: content hash of the documents of stacks in the stack, by name of
the resource that holds each."""

CORRECTS: typing.Final = "adopt_corrects"
"""Option: names of child stacks that exist, whose documents correct ids."""

CHECKS: typing.Final = "checks_after"
"""Option: a check follows once the stack is adopted."""

RELEASES: typing.Final = "releases"
"""Option of a rollback: the operation whose adoptions are undone."""

ENDS: typing.Final = "ends_stack"
"""Option of a rollback: the stack is gone when it is complete."""

ABANDONS: typing.Final = "abandons"
"""Option of a deletion: all things, and their snapshots, are let stand."""

RECEIVER: typing.Final = "hand_over_to"
"""Option of such a deletion: the project that the stack is handed over to."""

HAND_OVER: typing.Final = "hand_over_of"
"""Option of an adoption: the stack that another project has handed over."""

TRANSFERRED: typing.Final = "transferred"
"""Option of such an adoption: ids of the software that changed its project."""

KEY: typing.Final = "announcement_key"
"""Key of a document: what its installation knows announcements by
(``orch.context.announcements``)."""

PASSED_ON: typing.Final = (VERIFY, OWNED, SOURCES, NEEDS_IDS, ABANDONS)
"""Options of an operation that hold for stacks in the stack as well."""

_KEY_TEXT: typing.Final = re.compile(r"[A-Za-z0-9_-]{43}")

_MAX_LISTED: typing.Final = 500

_LATEST: typing.Final = 253_402_300_799
"""The last second of the year 9999."""


class Verify(enum.StrEnum):
    """What to do with a physical resource that differs from its template.

    ``REFUSE`` fails its adoption, ``WARN`` tells of it and goes on,
    ``TAKE`` does not even look.
    """

    REFUSE = "refuse"
    WARN = "warn"
    TAKE = "take"

    @classmethod
    def of(cls, options: Values) -> "Verify":
        """Return what the options of an operation say."""
        return cls(str(options.get(VERIFY) or cls.WARN))


def verification_of(options: Values) -> dict[str, object]:
    """Return the options of an operation that say how it verifies."""
    return {
        key: options[key] for key in (VERIFY, OTHER_TYPES) if key in options
    }


def list_unused(options: Values) -> list[str]:
    """Return what an adoption leaves out, a sentence for each name."""
    found = options.get(UNUSED)
    return [
        f"{name}{f' ({physical_id})' if physical_id else ''} is not adopted:"
        " the template has no such resource"
        for name, physical_id in (
            found.items() if isinstance(found, dict) else ()
        )
    ]


def describe_unused(options: Values) -> str:
    """Return what follows the reason of a stack that left ids out."""
    listed = "".join(f"; {each}" for each in list_unused(options))
    return listed[:_MAX_LISTED]


def describe_hand_over(options: Values) -> str:
    """Return what follows the reason of a stack that is handed over."""
    if RECEIVER in options:
        return f"; handed over to project {options[RECEIVER]}"
    if HAND_OVER in options:
        return f"; taken over from stack {options[HAND_OVER]}"
    return ""


def describe_type(options: Values, name: str) -> str | None:
    """Return what is wrong with the type of a resource, if anything is."""
    found = options.get(OTHER_TYPES)
    other = found.get(name) if isinstance(found, dict) else None
    return None if other is None else f"what was given is of type {other}"


class BadDocument(errors.Invalid):
    """The document of a stack is not laid out as it must be."""

    code = "orch.adoption.bad_document"


class NewerDocument(errors.Invalid):
    """A document was written by a newer version."""

    code = "orch.adoption.newer_document"


def check_format(document: Values) -> int:
    """Return the number of a document's format; 1 where it has none.

    :raises NewerDocument: it is higher than the known ones
    :raises BadDocument: it is no number
    """
    found = document.get(FORMAT, PLAIN_FORMAT)
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise BadDocument(f"Adoption data: {FORMAT} must be a number from 1.")
    if found > COMPACT_FORMAT:
        raise NewerDocument(
            f"The adoption data was written by a newer version of Orch: its"
            f" {FORMAT} is {found}, and this installation knows those up to"
            f" {COMPACT_FORMAT}. Upgrade it, or export the stack there with"
            " an older version."
        )
    return found


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """What a document says of one resource.

    :ivar physical_id: ``None`` when the document has none
    :ivar type_name: of the resource, empty when it is not said
    :ivar data: what its plug-in keeps for itself
    :ivar metadata: empty when it is that of the template
    :ivar document: of a resource that is a stack: the document of that
    :ivar created_at: ``None`` when the document does not tell
    :ivar signals: what signals have left with it
    :ivar has_no_id: it is made, and nothing in the world had an id
    :ivar token: of a creation whose outcome is unknown: by which its service
        is asked
    :ivar updated_at: when that creation was last tried
    :ivar is_unfinished: its creation was not complete
    :ivar is_at_rest: it is suspended
    """

    physical_id: str | None = None
    type_name: str = ""
    data: Values = dataclasses.field(default_factory=dict)
    metadata: Values = dataclasses.field(default_factory=dict)
    document: Values | None = None
    created_at: clock.Timestamp | None = None
    signals: Values = dataclasses.field(default_factory=dict)
    has_no_id: bool = False
    token: str | None = None
    updated_at: clock.Timestamp | None = None
    is_unfinished: bool = False
    is_at_rest: bool = False

    @property
    def has_something(self) -> bool:
        """Answer whether there is anything to adopt."""
        return (
            self.physical_id is not None
            or self.document is not None
            or self.has_no_id
            or self.token is not None
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Leftover:
    """A physical resource that was replaced and still exists.

    :ivar mapped_type: the type that serves it, where that is another
    :ivar properties: those that it has
    :ivar token: names it in ``requires`` of others
    :ivar requires: those that have to be removed later than it
    """

    name: str
    entry: Entry
    mapped_type: str | None
    properties: Values
    deletion_policy: str
    token: str
    requires: tuple[str, ...]

    @property
    def plugin_type(self) -> str:
        """The type of the plug-in that acts on it."""
        return self.mapped_type or self.entry.type_name


@dataclasses.dataclass(frozen=True, slots=True)
class Document:
    """A document.

    :ivar template: ``None`` when it is to be found elsewhere, as a stack in
        a stack may leave it out
    :ivar environment: parameters are among it
    :ivar id: what the stack was called where it came from, if that is told
    :ivar key: with which to announce where it is now; ``None`` when the
        document does not tell
    :ivar leftovers: what was replaced and remains to be removed
    """

    template: object
    environment: Values
    files: collections.abc.Mapping[str, str]
    tags: tuple[str, ...]
    entries: collections.abc.Mapping[str, Entry]
    id: str | None = None
    key: str | None = None
    leftovers: tuple[Leftover, ...] = ()


def parse_document(found: object, *, needs_template: bool = True) -> Document:
    """Return a document from its JSON value.

    :param needs_template: refuse one without a template
    :raises BadDocument: it is laid out otherwise; says where
    """
    document = _map(found, "the document")
    template = document.get("template")
    if template is None and needs_template:
        raise BadDocument("The adoption data has no template.")
    environment = dict(_map(document.get("environment"), "environment"))
    given = _map(document.get("parameters"), "parameters")
    kept = _map(environment.get("parameters"), "environment.parameters")
    environment["parameters"] = {**given, **kept}
    files = _map(document.get("files"), "files")
    stack_id = document.get("id")
    return Document(
        template,
        environment,
        {name: _text(text, f"files.{name}") for name, text in files.items()},
        _tags(document.get("tags")),
        entries(document.get("resources"), "resources"),
        stack_id if isinstance(stack_id, str) else None,
        _key(document.get(KEY)),
        _leftovers(document.get("leftovers")),
    )


def entries(found: object, place: str) -> dict[str, Entry]:
    """Return what is said of resources, by name.

    A text alone is a physical id.

    :raises BadDocument: it is laid out otherwise; says where
    """
    return {
        name: _entry(value, f"{place}.{name}")
        for name, value in _map(found, place).items()
    }


def _entry(found: object, place: str) -> Entry:
    if isinstance(found, str):
        found = {"resource_id": found}
    entry = heat_entries.as_ours(_map(found, place))
    data = _map(entry.get("resource_data"), f"{place}.resource_data")
    metadata = _map(entry.get("metadata"), f"{place}.metadata")
    if entry.get("resources") is not None:
        # Heat gives the new stack an id of its own.
        return Entry(
            data=data,
            metadata=metadata,
            document=entry,
            created_at=_moment(entry, place),
            is_at_rest=_is_at_rest(entry),
        )
    physical_id = _optional(entry, "resource_id", place) or None
    token = None if physical_id else _token(entry, place)
    return Entry(
        physical_id=physical_id,
        type_name=_optional(entry, "type", place) or "",
        data=data,
        metadata=metadata,
        created_at=_moment(entry, place),
        signals=_map(entry.get("signals"), f"{place}.signals"),
        has_no_id=entry.get(heat_entries.NO_ID) is True,
        token=token,
        updated_at=_moment(entry, place, "updated_at") if token else None,
        is_unfinished=token is not None or _is_unfinished(entry),
        is_at_rest=_is_at_rest(entry),
    )


def _is_unfinished(entry: Values) -> bool:
    """Whether the creation of a resource was in progress or had failed."""
    is_creation = entry.get("action") == states.Action.CREATE
    return is_creation and entry.get("status") in _UNFINISHED


def _is_at_rest(entry: Values) -> bool:
    """Whether a resource was suspended; Heat shows that by its action."""
    action = entry.get("action")
    if action == states.Action.RESUME:
        return entry.get("status") in _UNFINISHED
    return entry.get("is_at_rest") is True or action == states.Action.SUSPEND


def _token(entry: Values, place: str) -> str | None:
    """Return the token of a creation with an unknown outcome.

    :raises BadDocument: it is none, or is missing
    """
    if entry.get("is_outcome_unknown") is not True:
        return None
    found = entry.get("token")
    if isinstance(found, str) and _TOKEN_TEXT.fullmatch(found):
        return found
    raise BadDocument(
        f"Adoption data: {place}.token must be the one of the creation whose"
        " outcome is unknown."
    )


def _leftovers(found: object) -> tuple[Leftover, ...]:
    if found is None:
        return ()
    if not isinstance(found, list):
        raise BadDocument("Adoption data: leftovers must be a list.")
    read = (
        _leftover(_map(each, f"leftovers.{number}"), f"leftovers.{number}")
        for number, each in enumerate(found)
    )
    return tuple(each for each in read if each is not None)


def _leftover(found: Values, place: str) -> Leftover | None:
    """Return a leftover; ``None`` for one that cannot be removed."""
    entry = _entry({**found, "resources": None}, place)
    name = _optional(found, "name", place)
    if not name or not entry.type_name or not entry.has_something:
        return None
    required = found.get("requires")
    return Leftover(
        name,
        entry,
        _optional(found, "mapped_type", place) or None,
        marked.Marked(
            _map(found.get("properties"), f"{place}.properties"),
            _paths(found.get("sensitive_properties")),
        ),
        _optional(found, "deletion_policy", place) or "Delete",
        _optional(found, "token", place) or "",
        tuple(map(str, required)) if isinstance(required, list) else (),
    )


def _paths(found: object) -> marked.Paths:
    """Return the paths of what is sensitive; other values are passed over."""
    listed = found if isinstance(found, list) else []
    return tuple(
        tuple(each)
        for each in listed
        if isinstance(each, list)
        and all(isinstance(step, str | int) for step in each)
    )


def _key(found: object) -> str | None:
    """Return the key; a cover whose seal was torn off is none.

    :raises BadDocument: it is no key
    """
    if found is None:
        return None
    if isinstance(found, str) and _KEY_TEXT.fullmatch(found):
        return found
    raise BadDocument(f"Adoption data: {KEY} is not as it was given out.")


def _moment(
    entry: Values, place: str, key: str = "created_at"
) -> clock.Timestamp | None:
    """Return when a thing was made, in seconds since 1970."""
    found = entry.get(key)
    if found is None:
        return None
    if (
        isinstance(found, int | float)
        and not isinstance(found, bool)
        and 0 <= found <= _LATEST
    ):
        return clock.Timestamp(float(found))
    raise BadDocument(
        f"Adoption data: {place}.{key} must be seconds since 1970."
    )


def _optional(entry: Values, key: str, place: str) -> str | None:
    value = entry.get(key)
    return None if value is None else _text(value, f"{place}.{key}")


def _map(found: object, place: str) -> Values:
    if found is None:
        return {}
    if not isinstance(found, dict) or not all(
        isinstance(key, str) for key in found
    ):
        raise BadDocument(f"Adoption data: {place} must be a map.")
    return found


def _text(found: object, place: str) -> str:
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    if not isinstance(found, str):
        raise BadDocument(f"Adoption data: {place} must be a text.")
    return found


def _tags(found: object) -> tuple[str, ...]:
    if found is None:
        return ()
    if not isinstance(found, list):
        raise BadDocument("Adoption data: tags must be a list.")
    return tuple(_text(each, "tags") for each in found)
