"""The hidden values that the request of a thread was given, or reads.

Who reads parameters, or gives a plug-in a resource, adds them. Where an error
leaves the service, or is logged there, they are redacted in its text, whatever
raised it (``orch.rpc.faults``). A thread without a request, such as one of a
conductor, collects none, and neither does a new thread that is not joined.
"""

import collections.abc
import contextlib
import contextvars
import typing

Find = collections.abc.Callable[[], collections.abc.Iterable[str]]

_finds: typing.Final[contextvars.ContextVar[set[Find] | None]] = (
    contextvars.ContextVar("hidden_values", default=None)
)


@contextlib.contextmanager
def collected() -> collections.abc.Iterator[None]:
    """Collect the hidden values of this thread's request in the block."""
    with joined(set()):
        yield


def current() -> set[Find] | None:
    """Return what the thread collects; ``None`` without a request."""
    return _finds.get()


@contextlib.contextmanager
def joined(found: set[Find] | None) -> collections.abc.Iterator[None]:
    """Collect in the block for a request that another thread serves.

    :param found: what :func:`current` returned there
    """
    token = _finds.set(found)
    try:
        yield
    finally:
        _finds.reset(token)


def add(find: Find) -> None:
    """Add hidden values to those of the request that the thread serves.

    :param find: returns them as texts; it is called for an error only
    """
    found = _finds.get()
    if found is not None:
        found.add(find)


def texts() -> frozenset[str]:
    """Return all hidden values of the request, as texts."""
    # Another thread may still add to it.
    finds = tuple(_finds.get() or ())
    return frozenset(text for find in finds for text in find())
