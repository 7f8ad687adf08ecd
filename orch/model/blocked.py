"""What a stack waits for: its own resources, and those of child stacks."""

import collections
import collections.abc
import dataclasses
import enum
import itertools
import types
import typing

from orch import clock

_MAX_WAITS: typing.Final = 3
"""How many of a kind are stored by name; the others are counted."""
_MAX_REASON: typing.Final = 500


class WaitKind(enum.StrEnum):
    """What brings a resource on that waits.

    ``SIGNAL``: a signal; ``RETRY``: the next try of a call; ``BREAKPOINT``: a
    user who clears it.
    """

    SIGNAL = "signal"
    RETRY = "retry"
    BREAKPOINT = "breakpoint"


@dataclasses.dataclass(frozen=True, slots=True)
class Wait:
    """One resource that waits.

    :ivar path: names of the resources that lead to it, ``mid/leaf/b``
    :ivar reason: why the last call failed, or the breakpoint
    :ivar next_try_at: ``None`` where nothing is tried by itself
    """

    kind: WaitKind
    path: str
    reason: str = ""
    next_try_at: clock.Timestamp | None = None

    @property
    def turn(self) -> tuple[float, str]:
        """Its place in order: what is tried first comes first."""
        return self.next_try_at or float("inf"), self.path


@dataclasses.dataclass(frozen=True, slots=True)
class Blocked:
    """The resources that a stack waits for.

    :ivar others: how many there are beside ``waits``, by kind
    :ivar is_new: something is blocked that was not since it last got on
    """

    waits: tuple[Wait, ...] = ()
    others: collections.abc.Mapping[str, int] = dataclasses.field(
        default_factory=lambda: types.MappingProxyType({})
    )
    is_new: bool = False

    def __bool__(self) -> bool:
        """Whether anything is waited for."""
        return bool(self.waits)

    @property
    def next_try_at(self) -> clock.Timestamp | None:
        """When the first of them goes on by itself."""
        return min(
            (each.next_try_at for each in self.waits if each.next_try_at),
            default=None,
        )

    @property
    def has_retries(self) -> bool:
        """Whether a call is made again."""
        return any(each.kind is WaitKind.RETRY for each in self.waits)

    @property
    def reason(self) -> str:
        """A sentence that says what is waited for."""
        return "; ".join(
            describe([each for each in self.waits if each.kind is kind], more)
            for kind, describe in _SENTENCES.items()
            if any(each.kind is kind for each in self.waits)
            for more in [self.others.get(kind, 0)]
        )

    def under(self, name: str) -> typing.Self:
        """Return it as the parent of the stack has it.

        :param name: of the resource that holds the stack
        """
        return dataclasses.replace(
            self,
            waits=tuple(
                dataclasses.replace(each, path=f"{name}/{each.path}")
                for each in self.waits
            ),
        )

    def to_stored(self) -> dict[str, object] | None:
        """Return what the row of the stack holds of it."""
        if not self:
            return None
        return {
            "waits": [dataclasses.asdict(each) for each in self.waits],
            "others": dict(self.others),
            "is_new": self.is_new,
        }

    @classmethod
    def of(
        cls, stored: collections.abc.Mapping[str, typing.Any] | None
    ) -> "Blocked":
        """Return what a row says; nothing where it is empty."""
        if stored is None:
            return NOTHING
        waits = (
            Wait(**{**each, "kind": WaitKind(each["kind"])})
            for each in stored["waits"]
        )
        return cls(tuple(waits), stored["others"], stored["is_new"])


NOTHING: typing.Final = Blocked()


def of_waits(
    waits: collections.abc.Iterable[Wait],
    others: collections.abc.Mapping[str, int] = types.MappingProxyType({}),
    *,
    is_new: bool = False,
) -> Blocked:
    """Return what is stored of many: of each kind those that come first."""
    order = sorted(waits, key=lambda each: each.turn)
    named: list[Wait] = []
    counted: dict[str, int] = {}
    for kind in WaitKind:
        found = [each for each in order if each.kind is kind]
        named += (
            dataclasses.replace(each, reason=each.reason[:_MAX_REASON])
            for each in found[:_MAX_WAITS]
        )
        more = others.get(kind, 0) + len(found[_MAX_WAITS:])
        if more:
            counted[kind.value] = more
    return Blocked(tuple(named), counted, is_new)


def merge(found: collections.abc.Iterable[Blocked]) -> Blocked:
    """Return what several stacks wait for together."""
    parts = [each for each in found if each]
    counted: collections.Counter[str] = collections.Counter()
    for each in parts:
        counted.update(each.others)
    return of_waits(
        itertools.chain.from_iterable(each.waits for each in parts),
        counted,
        is_new=any(each.is_new for each in parts),
    )


def _describe_signals(waits: list[Wait], more: int) -> str:
    paths = _join([each.path for each in waits], more)
    return f"{paths} waiting for a signal"


def _describe_retries(waits: list[Wait], more: int) -> str:
    causes = _join([f"{each.path}: {each.reason}" for each in waits], more)
    due = [each.next_try_at for each in waits if each.next_try_at]
    when = f", next try at {clock.isoformat(min(due))}" if due else ""
    return f"waiting for {causes}{when}"


def _describe_breakpoints(waits: list[Wait], more: int) -> str:
    hooks = _join(
        [f"Hook {each.reason} of {each.path}" for each in waits], more
    )
    return f"waiting until {hooks} is cleared"


def _join(words: list[str], more: int) -> str:
    named = ", ".join(words)
    return f"{named} and {more} more" if more else named


_SENTENCES: typing.Final = types.MappingProxyType(
    {
        WaitKind.SIGNAL: _describe_signals,
        WaitKind.RETRY: _describe_retries,
        WaitKind.BREAKPOINT: _describe_breakpoints,
    }
)
