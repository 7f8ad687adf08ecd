"""Decides on which rack each server and volume goes, for a whole tree.

It is an example of a scheduler: it knows racks and their room from its
settings, and what it has decided before from the decisions that are kept.
Resource plug-ins read ``{"rack": …}`` for their resource as a hint.
"""

import collections
import collections.abc
import dataclasses
import typing

from orch import errors
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_settings
from orch_lifecycle_policies import racks
from orch_lifecycle_policies import rule_base

METADATA: typing.Final = "rack-placement"
"""Key of a resource's metadata: ``{over: 3, group: web}`` spreads it."""

SCHEMA: typing.Final = lifecycle_settings.mapping(
    {
        "racks": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {
                "type": "object",
                "additionalProperties": lifecycle_settings.COUNT,
            },
        },
        "together": {
            "type": "array",
            "items": lifecycle_settings.mapping(
                {
                    "types": lifecycle_settings.TEXTS,
                    "through": lifecycle_settings.TEXTS,
                },
                ["types"],
            ),
        },
        "spread": {
            "type": "array",
            "items": {
                **lifecycle_settings.mapping(
                    {
                        "types": lifecycle_settings.TEXTS,
                        "tags": lifecycle_settings.TEXTS,
                        "over": {"type": "integer", "minimum": 2},
                        "most_per_rack": {"type": "integer", "minimum": 1},
                    },
                    ["types"],
                ),
                "anyOf": [
                    {"required": ["over"]},
                    {"required": ["most_per_rack"]},
                ],
            },
        },
    },
    ["racks"],
)

_VERBS: typing.Final = frozenset({"create", "update", "restore"})


@dataclasses.dataclass(frozen=True, slots=True)
class _Where:
    rack: str
    type_name: str


@dataclasses.dataclass(frozen=True, slots=True)
class _Together:
    types: tuple[str, ...]
    through: tuple[str, ...]

    def is_placed(self, resource: lifecycle_operation.ResourceView) -> bool:
        return rule_base.fits(resource.type_name, self.types)

    def is_between(self, resource: lifecycle_operation.ResourceView) -> bool:
        return rule_base.fits(resource.type_name, self.through)


class RackPlacement(lifecycle.LifecyclePlugin):
    """Places all resources that take room in racks, or denies.

    What stands keeps its rack unless that is impossible. An inner stack is
    placed with its root, as far as it is known then, and again when its turn
    comes: that leaves all others where they are. Of two operations that are
    judged at the same moment one is judged again, with what the other one
    has taken. It comes last, when no other plug-in is against.
    """

    ordinal = 300
    scope = lifecycle.Scope.EVERY_STACK
    verbs = _VERBS
    supports_preview = True
    needs_settings = True

    def __init__(self, name: str, settings: object) -> None:
        """Read racks and rules.

        :raises orch.errors.Invalid: the settings are wrong
        """
        super().__init__(name, settings)
        given = lifecycle_settings.check(settings, SCHEMA)
        self._capacity: dict[str, dict[str, int]] = given["racks"]
        self._types: list[str] = sorted(
            {each for room in self._capacity.values() for each in room}
        )
        if not self._types:
            raise errors.Invalid("racks: no rack has room for anything")
        self._together = [
            _Together(
                lifecycle_settings.texts(each["types"]),
                lifecycle_settings.texts(each.get("through", [])),
            )
            for each in given.get("together", ())
        ]
        self._spread: list[dict[str, typing.Any]] = given.get("spread", [])

    def pre_operation(
        self, operation: lifecycle_operation.LifecycleOperation
    ) -> lifecycle.Verdict:
        """Find a rack for everything."""
        after = operation.after
        if after is None:
            return lifecycle.allow()
        here = {
            each.path: each
            for each in after.walk()
            if self._capacity_type(each.type_name)
        }
        decided = self._decided(operation)
        shown = {view.path for view in _stacks(after)}
        elsewhere = {
            path: where
            for path, where in decided.items()
            if path.rpartition("/")[0] not in shown
        }
        types = {path: each.type_name for path, each in here.items()}
        types.update(
            {path: where.type_name for path, where in elsewhere.items()}
        )
        bundles = self._bundles(after, here, decided)
        bundles += self._fixed(elsewhere)
        spreads = [*self._rules(after, types), *_requests(here)]
        try:
            found = racks.place(bundles, self._free(operation), spreads)
        except racks.NoPlace as error:
            return lifecycle.deny(str(error))
        return lifecycle.allow(
            {
                path: {"rack": found[path], "type": each.type_name}
                for path, each in here.items()
            }
        )

    def _capacity_type(self, type_name: str) -> str:
        """Return which room of racks a type takes; empty for none."""
        fitting = (
            each for each in self._types if rule_base.fits(type_name, [each])
        )
        return next(fitting, "")

    def _decided(
        self, operation: lifecycle_operation.LifecycleOperation
    ) -> dict[str, _Where]:
        """Return what was decided for this tree, by path."""
        kept = operation.decisions.get(self.name)
        if not isinstance(kept, collections.abc.Mapping):
            return {}
        found = {path: _where(value) for path, value in kept.items()}
        return {
            path: where for path, where in found.items() if where is not None
        }

    def _free(
        self, operation: lifecycle_operation.LifecycleOperation
    ) -> dict[str, dict[str, int]]:
        """Return the room by rack and type that other trees have left.

        What may go back to another rack, as its operation may fail, has room
        on both.
        """
        free = {rack: dict(room) for rack, room in self._capacity.items()}
        for each in operation.decisions_elsewhere(self.name):
            for where in set(map(_where, (each.value, *each.earlier))):
                if where is None:
                    continue
                room = free.get(where.rack, {})
                takes = self._capacity_type(where.type_name)
                if takes in room:
                    room[takes] -= 1
        return free

    def _fixed(
        self, decided: collections.abc.Mapping[str, _Where]
    ) -> list[racks.Bundle]:
        """Return what this operation has no business with."""
        return [
            racks.Bundle(
                (path,),
                {self._capacity_type(where.type_name): 1},
                where.rack,
                is_fixed=True,
            )
            for path, where in decided.items()
            if self._capacity_type(where.type_name)
            in self._capacity.get(where.rack, {})
        ]

    def _bundles(
        self,
        after: lifecycle_operation.StackView,
        here: collections.abc.Mapping[str, lifecycle_operation.ResourceView],
        decided: collections.abc.Mapping[str, _Where],
    ) -> list[racks.Bundle]:
        """Return what has to be on one rack each, by the rules."""
        bonds = racks.Bonds(here)
        for rule in self._together:
            for view in _stacks(after):
                _bind(rule, view, bonds)
        return [
            racks.Bundle(
                paths,
                collections.Counter(
                    self._capacity_type(here[path].type_name) for path in paths
                ),
                next(
                    (decided[path].rack for path in paths if path in decided),
                    "",
                ),
            )
            for paths in bonds.groups()
        ]

    def _rules(
        self,
        after: lifecycle_operation.StackView,
        types: collections.abc.Mapping[str, str],
    ) -> collections.abc.Iterator[racks.Spread]:
        """Return the rules of the settings that the stack is bound by.

        :param types: of all that takes room in the tree, by path
        """
        for rule in self._spread:
            wanted = lifecycle_settings.texts(rule["types"])
            if rule_base.has_tag(
                after, lifecycle_settings.texts(rule.get("tags", []))
            ):
                yield racks.Spread(
                    f"{' or '.join(wanted)} of the stack",
                    frozenset(
                        path
                        for path, each in types.items()
                        if rule_base.fits(each, wanted)
                    ),
                    rule.get("over", 1),
                    rule.get("most_per_rack"),
                )


def _where(value: object) -> _Where | None:
    """Return what a decision says; ``None`` where it is of another form."""
    if not isinstance(value, collections.abc.Mapping):
        return None
    rack, type_name = value.get("rack"), value.get("type")
    if not isinstance(rack, str) or not isinstance(type_name, str):
        return None
    return _Where(rack, type_name)


def _requests(
    here: collections.abc.Mapping[str, lifecycle_operation.ResourceView],
) -> collections.abc.Iterator[racks.Spread]:
    """Return what owners ask for in the metadata of resources."""
    groups: dict[str, set[str]] = collections.defaultdict(set)
    over: dict[str, int] = collections.defaultdict(int)
    for path, each in here.items():
        wish = each.metadata.get(METADATA)
        if isinstance(wish, collections.abc.Mapping):
            group = str(wish.get("group", ""))
            groups[group].add(path)
            number = wish.get("over", 1)
            if isinstance(number, int):
                over[group] = max(over[group], number)
    for group, paths in groups.items():
        about = f"the group {group!r}" if group else "the group"
        yield racks.Spread(about, frozenset(paths), over[group])


def _stacks(
    view: lifecycle_operation.StackView,
) -> collections.abc.Iterator[lifecycle_operation.StackView]:
    """Go through a stack and those within it."""
    yield view
    for each in view.resources.values():
        if each.child_stack is not None:
            yield from _stacks(each.child_stack)


def _bind(
    rule: _Together, view: lifecycle_operation.StackView, bonds: racks.Bonds
) -> None:
    """Bind the resources of one stack that refer to one another.

    What is between two, such as an attachment, binds all that it needs.
    """
    for each in view.resources.values():
        needed = [
            view.resources[name].path
            for name in each.requires
            if name in view.resources and rule.is_placed(view.resources[name])
        ]
        if rule.is_between(each):
            bonds.bind(needed)
        elif rule.is_placed(each):
            bonds.bind([each.path, *needed])
