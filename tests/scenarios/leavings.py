"""What a stack leaves behind in the world, and whether it may."""

import collections
import collections.abc

from tests.scenarios import shapes
from tests.support import world

_RETAIN = "Retain"
_DELETE = "Delete"
_SNAPSHOT = "Snapshot"
_MAKING = frozenset({"create", "made", "find", "delete", "removed"})
"""Acts after which a physical resource may still be incomplete."""
_MAKING_PREFIXES = ("held-create-", "torn-from-")


class Leavings:
    """The things of one name of a stack that are nobody's any more.

    A thing may stay behind when the deletion policy said so, or when it was
    orphaned by request; any other one was lost. A thing that may be neither
    removed nor left is one whose policy nothing asked for. While requests
    cut each other short, each policy that was asked for since all was last
    complete may be the one that counts.

    :ivar names: of the things that stay, one a thing, sorted
    """

    def __init__(self, place: world.World, stack: str) -> None:
        self._world = place
        self._stack = stack
        self._left: dict[str, str] = {}
        self._orphaned: set[str] = set()
        self._stored_for_sure: set[str] = set()
        self._torn: set[str] = set()
        self._stored: set[str] = set()
        self._whole: set[str] = set()
        self._observed = 0
        self._policies: dict[str, set[str]] = collections.defaultdict(set)
        self._mark = 0

    @property
    def names(self) -> list[str]:
        """Return the names of what was left behind, sorted."""
        return sorted(self._left.values())

    @property
    def may_be_stored(self) -> frozenset[str]:
        """Return the tokens whose state the deletion policy had stored."""
        return frozenset(self._stored)

    def skip(self, tokens: collections.abc.Iterable[str]) -> None:
        """Know that these stay as they are, whatever becomes of others."""
        self._torn.update(tokens)

    def orphan(
        self,
        tokens: collections.abc.Iterable[str],
        surely: collections.abc.Iterable[str],
    ) -> None:
        """Know that the things of these tokens may be left behind.

        :param surely: of them those that stood when that was asked for, by
            operations that came to their end; another one may have been cut
            short before it left them alone
        """
        self._orphaned.update(tokens)
        self._stored_for_sure.update(surely)

    def expect(self, targets: collections.abc.Sequence[shapes.Shape]) -> None:
        """Know what all operations so far were to bring about."""
        for shape in targets[self._observed :]:
            for name, thing in shape.items():
                self._policies[name].update(thing.policy.split())

    def begin(
        self,
        targets: collections.abc.Sequence[shapes.Shape],
        standing: collections.abc.Iterable[str],
    ) -> None:
        """Know that the last of these stands, and nothing else.

        :param standing: tokens of the things that were made for it
        """
        self._whole.update(standing)
        self._policies.clear()
        self._observed = max(len(targets) - 1, 0)
        self.expect(targets)

    def begin_anew(self) -> None:
        """Know that there is another stack of that name from now on."""
        self._policies.clear()
        self._observed = 0

    def check(
        self,
        things: collections.abc.Iterable[world.PhysicalResource],
        owned: collections.abc.Collection[str],
    ) -> list[str]:
        """Return what is wrong; take in what was left since.

        :param things: all that stand
        :param owned: tokens of those that a row knows of
        """
        standing = {each.token: each.name for each in things}
        wrong = [
            f"{name} {token[:8]} was left, and is not there"
            for token, name in self._left.items()
            if token not in standing
        ]
        for token, name in standing.items():
            if token in owned or token in self._left:
                continue
            if not self._may_stay(token, name):
                wrong.append(f"{name} {token[:8]} was lost")
            self._left[token] = name
        for call in self._world.calls(self._stack, self._mark):
            self._mark = call.number
            if call.act == "removed" and not self._may_go(call):
                wrong.append(f"{call.name} {call.token[:8]} was removed")
            if call.act == "snapshot" and self._is_required(call, _SNAPSHOT):
                self._stored.add(call.token)
            if call.act not in _MAKING and not call.act.startswith(
                _MAKING_PREFIXES
            ):
                self._whole.add(call.token)
            if call.act == "removed" and self._is_unstored(call):
                wrong.append(f"{call.name} {call.token[:8]} was not stored")
        return wrong

    def may_be_torn(self, act: str) -> bool:
        """Answer whether a thing may hold the id of one that is gone.

        :param act: ``torn-from-NAME/TOKEN`` of the one that holds it
        """
        token = act.rpartition("/")[2]
        return token in self._left or token in self._torn

    def _may_stay(self, token: str, name: str) -> bool:
        return token in self._orphaned or _RETAIN in self._policies[name]

    def _may_go(self, call: world.Call) -> bool:
        if call.token in self._stored_for_sure:
            return False
        return bool({_DELETE, _SNAPSHOT} & self._policies[call.name])

    def _is_required(self, call: world.Call, policy: str) -> bool:
        return policy in self._policies[call.name]

    def _is_unstored(self, call: world.Call) -> bool:
        """Answer whether a thing went without the snapshot it was to have.

        There is nothing to store of one whose creation was cut short.
        """
        is_sure = self._policies[call.name] == {_SNAPSHOT}
        was_made = call.token in self._whole
        return is_sure and was_made and call.token not in self._stored
