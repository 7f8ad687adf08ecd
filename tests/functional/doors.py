"""What tests of requests that lifecycle plug-ins judge start from."""

import collections.abc
import dataclasses
import typing

from tests.functional import lifecycle
from tests.functional import observing
from tests.functional import test_groups
from tests.support import rest
from tests.support import waiting

Json = dict[str, typing.Any]

CHILD: typing.Final = """
heat_template_version: 2021-04-16
parameters:
  label: {type: string, default: l}
resources:
  inner:
    type: Test::World::Listed
    properties: {value: v, label: {get_param: label}}
  handle:
    type: OS::Heat::WaitConditionHandle
"""
CHANGED: typing.Final = f"""{CHILD}
  extra:
    type: Test::World::Thing
"""
_MOVING: typing.Final = frozenset(
    {
        "stack_status",
        "stack_status_reason",
        "updated_time",
        "operation",
        "operation_id",
        "verdicts",
        "lifecycle",
        "revision",
        "stack_action",
        "drift",
        "failed_resources",
    }
)
"""What a denial may change of a stack: the state of its last operation."""


@dataclasses.dataclass(frozen=True)
class Tree:
    """A root stack and its child stack.

    :ivar door: at the address of which of them operations begin
    """

    root: rest.Stack
    child: rest.Stack
    door: str = "child"

    @property
    def at(self) -> rest.Stack:
        """Return the stack at whose address operations begin."""
        return self[self.door]

    def __getitem__(self, name: str) -> rest.Stack:
        return typing.cast(rest.Stack, getattr(self, name))


class DoorsTestCase(lifecycle.LifecycleTestCase, test_groups.GroupsTestCase):
    """One plug-in of the default scope, which can be ordered to deny all."""

    count = 1
    options: typing.ClassVar[Json] = {
        "DEFAULT": {
            "enable_stack_adopt": True,
            "enable_stack_abandon": True,
        },
        "observer": observing.OPTIONS,
    }

    def tree(self, door: str = "child") -> Tree:
        """Return a complete tree: a child stack, a group and its policy."""
        self.take_name()
        root = self.make(
            {
                "kid": {"type": "inner.yaml"},
                "own": observing.listed(),
                "handle": {"type": "OS::Heat::WaitConditionHandle"},
                **test_groups.scaling(),
            },
            files={"inner.yaml": CHILD},
            tags="one,two",
        )
        return Tree(root, self.child_of(root, "kid"), door)

    def assert_unchanged(
        self, before: Json, tree: Tree, but: str = ""
    ) -> None:
        """Check that all is shown as before, but for times of updates.

        A denial restores the size of a group, which updates it.

        :param but: the start of places that may differ
        """
        after = self.shown(tree)
        changed = {
            place: (before.get(place), after.get(place))
            for place in sorted(before.keys() | after.keys())
            if before.get(place) != after.get(place)
            and not (but and place.startswith(but))
            and not place.endswith("/updated_time")
        }
        self.assertEqual({}, changed)

    def changes_since(self, count: int) -> list[str]:
        """Return the changes among the calls after so many others."""
        return [
            each.act
            for each in self.world.calls()[count:]
            if each.act not in ("list", "read", "show")
        ]

    def deny(self) -> None:
        self.plugins.order(1, "pre", "deny", text="frozen")

    def shown(self, tree: Tree) -> Json:
        """Return all that exists, but not the states of operations.

        :returns: values by where they are shown
        """
        found: Json = {
            "world": [
                dataclasses.astuple(each) for each in self.physical_resources()
            ]
        }
        for name in ("root", "child"):
            stack = tree[name]
            shown = typing.cast(Json, self.client.get(stack.path, "stack"))
            found[name] = {
                "stack": {
                    key: value
                    for key, value in shown.items()
                    if key not in _MOVING
                },
                **{
                    each: self.client.ask("GET", f"{stack.path}/{each}")
                    for each in (
                        "template",
                        "environment",
                        "files",
                        "snapshots",
                        "drift/policy",
                        "resources?nested_depth=5",
                    )
                },
            }
        return dict(_flat("", found))

    def holder(self, name: str) -> str:
        """Return the name of the stack that made a physical resource."""
        return self.world.find_maker(self.name, name)

    def ended(self, stack: rest.Stack, count: int, tries: int = 0) -> Json:
        """Return the operation of a stack that ended after so many others.

        :param tries: attempts of it that were made before
        """

        def newest() -> Json | None:
            found = self.operations(stack)
            is_over = (
                len(found) > count
                and found[0]["attempt"] > tries
                and found[0]["state"] in ("FAILED", "COMPLETE")
            )
            return found[0] if is_over else None

        found = waiting.wait_for(newest, "an operation")
        assert found is not None
        return found


def _flat(
    place: str, value: object
) -> collections.abc.Iterator[tuple[str, object]]:
    """Yield the values in a JSON value, with their places."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _flat(f"{place}/{key}", each)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _flat(f"{place}/{index}", each)
    else:
        yield place, value


def prepare_nothing(case: "DoorsTestCase", tree: Tree) -> None:
    """Prepare nothing."""


def save_snapshot(case: "DoorsTestCase", tree: Tree) -> None:
    case.client.ask("POST", f"{tree.at.path}/snapshots", {"name": "s"})
    case.client.wait(tree.at, "SNAPSHOT_COMPLETE")


def new_request(
    method: str, path: str, body: Json | None = None
) -> collections.abc.Callable[["DoorsTestCase", Tree], None]:
    """Return a request.

    :param path: ``{root}`` and ``{child}`` are the stacks' paths, and ``{at}``
        that of the one where operations begin; ``{snapshot}`` and ``{plan}``
        are ids of what that one has
    """

    def ask(case: "DoorsTestCase", tree: Tree) -> None:
        filled = path.format(
            root=tree.root.path,
            child=tree.child.path,
            at=tree.at.path,
            **{
                name: _id_of(case, tree, f"{name}s")
                for name in ("snapshot", "plan")
                if f"{{{name}}}" in path
            },
        )
        case.client.ask(method, filled, body)

    return ask


def _id_of(case: "DoorsTestCase", tree: Tree, kind: str) -> str:
    found = case.client.get(f"{tree.at.path}/{kind}", kind)
    return str(typing.cast(list[Json], found)[0]["id"])
