"""How the contract declares namespaces, and the policies of their methods.

A namespace is a ``typing.Protocol``. Its methods take a context and what
travels, and their docstrings have the shapes and errors. The decorators here
store what the types cannot say. ``orch.rpc.proxy`` makes a client of it, and
``orch.rpc.endpoint`` the methods of a worker.
"""

import collections.abc
import dataclasses
import inspect
import typing

Sent = typing.Literal["call", "cast", "broadcast"]
"""A call waits for the answer; the others are hints to one or to all."""
Function = typing.TypeVar(
    "Function", bound=collections.abc.Callable[..., object]
)
Kind = typing.TypeVar("Kind")

_NAMESPACE: typing.Final = "rpc_namespace"
_POLICY: typing.Final = "rpc_policy"


@dataclasses.dataclass(frozen=True, slots=True)
class Policy:
    """What applies to a method besides its signature.

    :ivar is_read: it only reads; a method without a mark counts as a change
    :ivar once: an idempotency key lets it run once
    :ivar added: arguments that came after the method: not sent while they
        have their defaults, since workers of earlier releases refuse them
    """

    is_read: bool = False
    once: bool = False
    sent: Sent = "call"
    added: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True, slots=True)
class Method:
    """One method of a namespace.

    :ivar signature: what travels, without ``self`` and the context
    """

    name: str
    signature: inspect.Signature
    policy: Policy

    def bind(self, /, *args: object, **kwargs: object) -> dict[str, object]:
        """Return all arguments by name, with defaults for those left out.

        :raises TypeError: one is missing, or one too many
        """
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        found: dict[str, object] = {}
        for name, value in bound.arguments.items():
            kind = self.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_KEYWORD:
                found.update(value)
            else:
                found[name] = value
        return found

    def is_unsent(self, name: str, value: object) -> bool:
        """Whether an argument is not sent: a default of an added one."""
        return (
            name in self.policy.added
            and value == self.signature.parameters[name].default
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Namespace:
    """The name of a namespace, and its methods."""

    name: str
    methods: tuple[Method, ...]


def namespace(
    name: str,
) -> collections.abc.Callable[[type[Kind]], type[Kind]]:
    """Declare that a Protocol is the namespace of that name."""

    def mark(kind: type[Kind]) -> type[Kind]:
        setattr(kind, _NAMESPACE, name)
        return kind

    return mark


def reads(
    *, added: collections.abc.Iterable[str] = ()
) -> collections.abc.Callable[[Function], Function]:
    """Declare that a method only reads.

    A document that may contain secrets, and an answer that evaluates a
    template of the caller with the values of a stack, is more than reading:
    such methods count as changes.
    """
    return _marked(Policy(is_read=True, added=frozenset(added)))


def changes(
    *,
    once: bool = False,
    sent: Sent = "call",
    added: collections.abc.Iterable[str] = (),
) -> collections.abc.Callable[[Function], Function]:
    """Declare that a method changes something, or shows secrets."""
    return _marked(Policy(once=once, sent=sent, added=frozenset(added)))


def read_namespace(kind: type) -> Namespace:
    """Return the namespace that a Protocol declares.

    :raises TypeError: the Protocol is none
    """
    name: str | None = getattr(kind, _NAMESPACE, None)
    if name is None:
        raise TypeError(f"{kind.__name__} is no namespace of the contract")
    return Namespace(
        name,
        tuple(
            Method(each, _signature(function), _policy(function))
            for each, function in inspect.getmembers(kind, inspect.isfunction)
            if not each.startswith("_")
        ),
    )


def _marked(
    policy: Policy,
) -> collections.abc.Callable[[Function], Function]:
    def mark(function: Function) -> Function:
        vars(function)[_POLICY] = policy
        return function

    return mark


def _signature(
    function: collections.abc.Callable[..., object],
) -> inspect.Signature:
    found = inspect.signature(function)
    return found.replace(parameters=list(found.parameters.values())[2:])


def _policy(function: collections.abc.Callable[..., object]) -> Policy:
    found: Policy = vars(function).get(_POLICY, Policy())
    return found
