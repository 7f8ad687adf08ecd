"""The contract with resource types that are a child stack.

Such a type never touches the world itself. It declares its stack, and the
engine creates, changes and removes that stack like any other, with
operations of its own. The physical id of the resource is the id of the
stack.
"""

import abc
import collections.abc
import dataclasses
import json
import re
import typing

from orch import clock
from orch import errors
from orch.plugin import call_context
from orch.plugin import resource
from orch.plugin import signals

_FAILURE: typing.Final = re.compile(
    r"Resource \w+ failed: (?P<kind>\w+): (?P<path>resources\.[^:]+):"
    r" (?P<text>.*)",
    re.DOTALL,
)
"""The status reason of a stack for the failure of one of its resources."""

Path = tuple[object, ...]
"""What ``get_attr`` names: the attribute, then what follows it."""


def path_key(path: Path) -> str:
    """Return the key under which the value of a path is stored."""
    return str(path[0]) if len(path) == 1 else json.dumps(list(path))


def parse_path_key(encoded: str) -> Path:
    """Return the path of a key of :func:`path_key`."""
    return (
        tuple(json.loads(encoded)) if encoded.startswith("[") else (encoded,)
    )


def find_part(value: object, path: collections.abc.Iterable[object]) -> object:
    """Return the part of a value that keys and positions lead to.

    :returns: ``None`` when they lead to none
    """
    for step in path:
        if isinstance(value, collections.abc.Mapping):
            value = value.get(step)
        elif isinstance(value, list | str) and isinstance(step, int):
            value = value[step] if -len(value) <= step < len(value) else None
        else:
            return None
    return value


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One resource of the child stack, in its current state.

    :ivar reference_id: what ``get_resource`` returns of it; ``None`` before
        its creation
    :ivar definition: the resource as the stack's template in force has it
    """

    name: str
    type_name: str
    physical_id: str | None
    reference_id: object
    is_failed: bool
    created_at: clock.Timestamp
    definition: collections.abc.Mapping[str, object]


class ChildFailed(errors.Permanent):
    """The operation of a child stack failed.

    :ivar kind: name of the original error
    :ivar path: names of the resources on the way to it, ``""`` for none
    """

    code = "orch.resource.child_stack_failed"

    def __init__(self, message: str, kind: str = "", path: str = "") -> None:
        """Store why it failed."""
        super().__init__(message)
        self.kind = kind or type(self).__name__
        self.path = path

    @classmethod
    def of(cls, reason: str) -> typing.Self:
        """Return the error from the status reason of the child stack."""
        found = _FAILURE.match(reason)
        if found is None:
            return cls(reason)
        return cls(found["text"], found["kind"], found["path"])


class ChildView(typing.Protocol):
    """The child stack of a resource, in its current state."""

    @property
    def stack_id(self) -> str:
        """The id of the stack."""

    @property
    def stack_name(self) -> str:
        """The name of the stack."""

    @property
    def members(self) -> collections.abc.Sequence[Member]:
        """Its resources, sorted by name."""

    @property
    def outputs(self) -> collections.abc.Mapping[str, object]:
        """All outputs of its template; ``None`` for one without a value."""

    def output(self, name: str) -> object:
        """Return an output of its template.

        :raises orch.errors.Invalid: the template has no such output
        """

    def attribute(self, member: str, path: Path) -> object:
        """Return an attribute of one of its resources.

        :raises orch.errors.Invalid: there is no such resource, or it shows
            no such attribute
        """


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One of the states that the stack passes; most types have one.

    :ivar template: a template as text or as a document
    :ivar parameters: values for it
    :ivar pause_s: seconds to wait before it is begun, unless it is the
        first that an operation begins
    :ivar timeout_s: seconds that an operation of the stack may take; ``None``
        for as long as those of the parent stack
    :ivar pauses_s: seconds of all pauses between this stage and the end
    """

    template: str | collections.abc.Mapping[str, object]
    parameters: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    pause_s: float = 0.0
    timeout_s: int | None = None
    pauses_s: float = 0.0


def read_output(
    context: call_context.Context, view: ChildView, name: str
) -> object:
    """Return an output of a resource's stack.

    :raises orch.errors.Invalid: it has no value; the error names the
        resource, as Heat does
    """
    try:
        return view.output(name)
    except errors.Invalid as error:
        raise errors.Invalid(
            f"Error in {context.name} output {name}: {error.message}"
        ) from error


def minutes_to_seconds(minutes: object) -> int | None:
    """Return the ``timeout_s`` of a stage from a property in minutes.

    ``None``, or no minute, means the time that the parent stack has.
    """
    if not isinstance(minutes, int) or minutes <= 0:
        return None
    return minutes * 60


class PausesTooLong(errors.Invalid):
    """An operation would time out before the pauses of a group end."""

    code = "orch.group.pauses_too_long"


class NestedStackResource(resource.Resource):
    """Base of the types that are a child stack.

    Only the methods of this class are called, in addition to schema,
    ``validate`` and ``needs_replacement``.
    """

    needs_members: typing.ClassVar[bool] = True
    """The desired state of its stack depends on its existing members."""
    writes_template: typing.ClassVar[bool] = True
    """The template of its stack is made of properties, and so has what is
    sensitive in them.
    """
    fetches_definition: typing.ClassVar[bool] = False
    """The definition of its stack is outside, where :meth:`data_of` reads it:
    every update of the parent stack does so.
    """

    @abc.abstractmethod
    def stages(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[Member],
    ) -> collections.abc.Sequence[Stage]:
        """Return the stages to the desired state, the last one at the end.

        Called again after each stage and after a crash, so it depends on its
        arguments alone; the first stage that it then returns is next. Once
        the desired state is reached it returns one stage, which changes
        nothing.

        :param context: ``properties`` are the desired ones; ``data`` what
            :meth:`data_of` returned last
        :param members: of the existing stack; none before its creation
        :raises orch.errors.Invalid: the properties cannot be fulfilled
        """

    def data_of(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[Member],
    ) -> collections.abc.Mapping[str, object]:
        """Return the data to store before the first stage begins.

        Only types that read a definition elsewhere do input here.

        :returns: JSON values; they come back in ``context.data``
        """
        return context.data

    def adopted_data(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[Member],
    ) -> collections.abc.Mapping[str, object]:
        """Return the data to store of a stack that is adopted.

        Called instead of :meth:`data_of`, for types that store more than the
        documents of other installations have.

        :param context: ``data`` is what the document says
        :param members: those in the document; all are to have a place
        :returns: JSON values; they come back in ``context.data``
        """
        return self.data_of(context, members)

    def resized(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[Member],
        resize: signals.Resize,
    ) -> collections.abc.Mapping[str, object] | None:
        """Return the data to store for a group to get another size.

        With that in ``context.data`` :meth:`stages` returns the stages to the
        new size. The engine calls it only while no operation of the stack
        is in progress.

        :param context: the current one of the group
        :param members: of its stack
        :returns: JSON values; ``None`` when its size stays, because it has
            it already or has to settle after the last change
        :raises orch.errors.NotSupported: it has no size of its own
        """
        raise errors.NotSupported(
            f"{self.type_name} {context.name} cannot be scaled; name a group"
            " that has a smallest and a largest size"
        )

    @abc.abstractmethod
    def read(
        self, context: call_context.Context, path: Path, view: ChildView
    ) -> object:
        """Return an attribute, read from the child stack.

        :raises orch.errors.Invalid: there is none of that name
        """
