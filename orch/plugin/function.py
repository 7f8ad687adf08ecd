"""The contract of a template function (``get_param``, ``str_replace``, …).

A template is parsed once into plain values and, where a value has to be
computed, nodes. A :class:`Function` is such a node: it is made with its
arguments, which hold plain values and further nodes, and computes its value
on demand. A :class:`Macro` is replaced while the template is parsed.

Functions are found by entry point ``orch.template_functions``, under the
name that templates write. What a function raises, of whatever kind, becomes
the error of the property or output that uses it; its text is for the user.
"""

import abc
import collections.abc
import dataclasses
import enum
import typing


class Omitted(enum.Enum):
    """The type of :data:`OMITTED`."""

    OMITTED = "omitted"


OMITTED: typing.Final = Omitted.OMITTED
"""What a macro returns to be removed from the list or map it is in."""


class Scope(typing.Protocol):
    """The values that a function may read while it is evaluated."""

    @property
    def argument_scope(self) -> "Scope":
        """The scope in which arguments are resolved."""

    @property
    def query_limits(self) -> tuple[int, int]:
        """The maximum iterations and bytes of a query."""

    def parameter(
        self, name: str, path: collections.abc.Sequence[object] = ()
    ) -> object:
        """Return the value of a parameter, or a part of it.

        :param path: keys and positions that lead to the part
        :raises orch.errors.OrchError: there is none of that name
        :raises KeyError, IndexError, TypeError, ValueError: the path leads
            nowhere
        """

    def has_parameter(self, name: str) -> bool:
        """Whether the template has that parameter."""

    def file(self, name: str) -> str | None:
        """Return the text of a file that came with the template."""

    def mapping(
        self, name: str, path: collections.abc.Sequence[object] = ()
    ) -> object:
        """Return a map of the section ``Mappings``, or a part of it.

        :raises orch.errors.OrchError: there is none of that name
        """

    def is_enabled(self, condition: object) -> bool:
        """Whether a condition (its name, or a boolean) holds.

        :raises orch.errors.OrchError: it is neither
        """

    def reference_id(self, resource: str) -> object:
        """Return the value that references to a resource have."""

    def attribute(
        self,
        resource: str,
        attribute: str,
        path: collections.abc.Sequence[object] = (),
    ) -> object:
        """Return the value of an attribute of a resource, or a part of it.

        :param path: keys and positions that lead to the part
        :raises KeyError, IndexError, TypeError: they lead nowhere
        """

    def check_attribute(self, resource: str, attribute: str | None) -> None:
        """Raise an error if the template cannot read the attribute.

        :raises orch.errors.OrchError: it does not exist
        """

    def attribute_names(self, resource: str) -> collections.abc.Sequence[str]:
        """Return the names of the attributes that a resource declares."""

    def facade(self, part: str) -> object:
        """Return ``metadata``, … of the resource that has this stack.

        :raises ValueError: the stack has no such resource
        """

    @property
    def sensitive_reads(self) -> int:
        """How many sensitive values have been read in this pass."""

    def spend(self, work: int) -> None:
        """Count work against the limit of a template.

        Arguments are counted already. A function counts what it makes or
        does in addition to their size: one an item, one for 16 characters.

        :raises orch.errors.LimitExceeded: the limit is reached
        """

    def weigh(self, value: object) -> None:
        """Count a value, with all its parts, against the limit of a template.

        :raises orch.errors.LimitExceeded: the limit is reached
        """


class Node(abc.ABC):
    """A part of a parsed template whose value has to be computed.

    :ivar is_static: the value never depends on a resource, so that it is
        computed once and cached, unless something sensitive goes into it
    :ivar has_secret_names: something in its arguments has the name of a
        secret, so that its value is sensitive
    """

    __slots__ = ("cached", "has_secret_names", "is_static")

    def __init__(self) -> None:
        self.is_static = False
        self.has_secret_names = False
        self.cached: object = OMITTED

    def resolve(self, scope: Scope) -> object:
        """Return the value; callers must not change it."""
        if self.cached is not OMITTED:
            return self.cached
        before = scope.sensitive_reads
        value = self.evaluate(scope)
        if self.is_static and scope.sensitive_reads == before:
            self.cached = value
        return value

    @abc.abstractmethod
    def evaluate(self, scope: Scope) -> object:
        """Compute the value."""


def resolve(value: object, scope: Scope) -> object:
    """Return the value of a node; plain values unchanged."""
    return value.resolve(scope) if isinstance(value, Node) else value


@dataclasses.dataclass(frozen=True, slots=True)
class Reference:
    """A reference of an expression to a resource.

    :ivar attribute: the attribute that it reads; ``None`` when it reads none
    :ivar path: what of the attribute it reads, as far as that is known
    :ivar is_open: it may read any attribute of the resource
    :ivar is_loose: where the template has no resource of that name, nothing
        is required; the error shows when the value is needed
    """

    resource: str
    attribute: str | None = None
    is_open: bool = False
    is_loose: bool = False
    path: tuple[object, ...] = ()


class Function(Node):
    """Base of all functions.

    :cvar is_pure: the value depends on nothing but the arguments,
        parameters, files and conditions
    :cvar formats: template formats that have it, for a function that no
        list of built-in functions names
    """

    __slots__ = ("arguments", "name")

    is_pure: typing.ClassVar[bool] = True
    formats: typing.ClassVar[frozenset[str]] = frozenset({"hot"})

    def __init__(self, name: str, arguments: object) -> None:
        """Store name and arguments, and check the arguments.

        :param name: as the template wrote it
        :param arguments: plain values and nodes
        :raises Exception: what is wrong, as text
        """
        super().__init__()
        self.name = name
        self.arguments = arguments
        self.check()

    def check(self) -> None:
        """Raise an error if the arguments can never be right.

        :raises Exception: what is wrong, as text
        """

    def inspect(self, scope: Scope) -> None:
        """Raise an error if the arguments are wrong, parameters known.

        Called once, when a template is validated.

        :raises Exception: what is wrong, as text
        """

    def references(self, scope: Scope) -> collections.abc.Iterable[Reference]:
        """Return the references of the function itself, not of arguments."""
        return ()

    def resolved(self, scope: Scope) -> object:
        """Return the value of all arguments, counted as work."""
        value = resolve(self.arguments, scope.argument_scope)
        scope.weigh(value)
        return value


class Parser(typing.Protocol):
    """The parser, as a macro may use it."""

    def parse(self, value: object) -> object:
        """Return a part of the template with its functions as nodes."""

    def is_enabled(self, condition: object) -> bool:
        """Whether a condition, as written in the template, holds."""


class Macro(abc.ABC):
    """Base of the functions that are expanded while a template is parsed."""

    formats: typing.ClassVar[frozenset[str]] = frozenset({"hot"})

    @classmethod
    @abc.abstractmethod
    def expand(cls, name: str, arguments: object, parser: Parser) -> object:
        """Return the parsed replacement of the macro, or :data:`OMITTED`.

        :param name: as the template wrote it
        :param arguments: as the template wrote them
        :raises Exception: what is wrong, as text
        """
