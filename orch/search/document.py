"""Documents of the index: one for each stack, and one for each resource."""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch.rpc import contract

STACK: typing.Final = "stack"
RESOURCE: typing.Final = "resource"
ORPHAN: typing.Final = "orphan"
KINDS: typing.Final = (STACK, RESOURCE, ORPHAN)
UNKNOWN_REDACTION: typing.Final = frozenset({"everything"})
"""Covered of a stack of which it is not known what is hidden."""
WHOLE_STACK: typing.Final = "stack"
"""Covered of a stack that only administrators find."""

Scalar: typing.TypeAlias = str | int | float | bool
Fields: typing.TypeAlias = collections.abc.Mapping[str, tuple[Scalar, ...]]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document of the index: a stack, a resource, or an orphan.

    :ivar id: ``stack/UUID``, ``resource/UUID`` or ``orphan/…``; unique in an
        index
    :ivar kind: one of :data:`KINDS`
    :ivar stack_id: of the stack itself, or the one that has the resource;
        empty for an orphan
    :ivar path: names from the root stack down, with ``/`` between them;
        that of a resource ends with its own name
    :ivar type: type name of the resource; ``OS::Heat::Stack`` of a stack
    :ivar action: ``CREATE``; empty for an orphan
    :ivar status: ``COMPLETE``; empty for an orphan
    :ivar updated_at: when it changed last: when it was made, where it has
        not changed since; ``None`` where it is not known
    :ivar owner: name of the user that the stack belongs to; empty where it
        is not known
    :ivar drift: ``in_sync``, ``drifted``, ``unknown`` or ``nothing``;
        empty where it was not observed
    :ivar is_hidden: only administrators find it (``hidden_stack_tags``)
    :ivar fields: values by dotted names: ``properties.flavor``,
        ``parameters.size``, ``outputs.url``, ``attributes.name``,
        ``operation.action``, ``verdicts.plugin``; what is hidden is not there
    :ivar texts: long texts by name: ``template``, ``events``
    :ivar admin: fields that only administrators may see or search
    """

    id: str
    kind: str
    stack_id: str
    root_id: str
    project_id: str
    path: str
    name: str
    type: str
    action: str = ""
    status: str = ""
    reason: str = ""
    description: str = ""
    created_at: clock.Timestamp | None = None
    updated_at: clock.Timestamp | None = None
    physical_id: str = ""
    owner: str = ""
    tags: tuple[str, ...] = ()
    drift: str = ""
    is_hidden: bool = False
    fields: Fields = dataclasses.field(default_factory=dict)
    texts: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    admin: Fields = dataclasses.field(default_factory=dict)

    @classmethod
    def from_facts(cls, facts: contract.DocumentFacts) -> typing.Self:
        """Return the document that these facts describe."""
        values: dict[str, typing.Any] = dict(facts)
        for name in ("fields", "admin"):
            values[name] = {
                key: tuple(found) for key, found in values[name].items()
            }
        values["tags"] = tuple(values["tags"])
        return cls(**values)

    def facts(self) -> contract.DocumentFacts:
        """Return the document as facts, as RPC and storage have it."""
        values = {
            each.name: getattr(self, each.name)
            for each in dataclasses.fields(self)
        }
        return typing.cast(contract.DocumentFacts, values)

    def without_admin(self) -> "Document":
        """Return the document without fields for administrators."""
        return dataclasses.replace(self, admin={}) if self.admin else self


@dataclasses.dataclass(frozen=True, slots=True)
class KnownStack:
    """A stack as an index has it.

    :ivar version: of what was put last
    :ivar read_at: when that was read
    :ivar ids: of documents, by the digests of what they were made of
    """

    version: int
    read_at: clock.Timestamp
    ids: collections.abc.Mapping[str, str]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StackDocuments:
    """All documents of one stack at one time, without child stacks.

    :ivar version: grows with each change of the stack: an index that has a
        later one keeps it
    :ivar read_at: when it was read, by the clock of the source; of two with
        one version the later one is right
    :ivar documents: of the stack and its resources; empty once it is gone
    :ivar redacted: names of what users may not see of the stack. A former
        state that covered less is not kept: it would show in plain what is
        hidden now
    :ivar base: what of the stack is there already; ``None`` where that does
        not matter
    :ivar unchanged: ids of documents of the base that are right as they are;
        they are not among the documents
    :ivar digests: of what the documents, and those unchanged, were made of,
        by their ids; none where the source does not tell
    """

    stack_id: str
    version: int
    read_at: clock.Timestamp
    documents: tuple[Document, ...] = ()
    redacted: frozenset[str] = frozenset()
    base: KnownStack | None = None
    unchanged: frozenset[str] = frozenset()
    digests: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )

    @property
    def known(self) -> KnownStack:
        """Return the stack as an index has it once this was put."""
        return KnownStack(
            self.version,
            self.read_at,
            {digest: each for each, digest in self.digests.items()},
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Orphans:
    """The orphans of a project at one time: resources in no stack.

    :ivar read_at: when it was looked for, by the clock of the source
    :ivar unlisted_types: why types could not be listed, by type; what is
        known of their resources stays
    """

    project_id: str
    read_at: clock.Timestamp
    documents: tuple[Document, ...] = ()
    unlisted_types: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
