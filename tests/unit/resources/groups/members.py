"""Members of groups as tests want them, and a stack made of them."""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch import errors
from orch.plugin import call_context
from orch.plugin import nested_stack

Values = collections.abc.Mapping[str, object]


def member(
    name: str,
    definition: Values,
    *,
    is_failed: bool = False,
    created_at: float = 0.0,
) -> nested_stack.Member:
    return nested_stack.Member(
        name=name,
        type_name=str(definition.get("type")),
        physical_id=f"id-{name}",
        reference_id=f"ref-{name}",
        is_failed=is_failed,
        created_at=clock.Timestamp(created_at),
        definition=definition,
    )


def definitions(stage: nested_stack.Stage) -> dict[str, Values]:
    """Return the definitions of the members in a stage."""
    document = typing.cast("Values", stage.template)
    return dict(typing.cast("Values", document["resources"]))  # type: ignore[arg-type]


class Group:
    """The stack of a group: brought from stage to stage, as an engine does."""

    def __init__(
        self,
        plugin: nested_stack.NestedStackResource,
        context: call_context.Context,
    ) -> None:
        self.plugin = plugin
        self.context = context
        self.members: list[nested_stack.Member] = []
        self.time = 0.0

    def bring(self, **properties: object) -> list[dict[str, Values]]:
        """Run one operation of the group; return what each stage had."""
        given = {**self.context.properties, **properties}
        self.context = dataclasses.replace(self.context, properties=given)
        self.begin()
        made = []
        for _ in range(200):
            stage = self.plugin.stages(self.context, self.members)[0]
            found = definitions(stage)
            if made and found == made[-1]:
                return made
            self.reach(found)
            made.append(found)
        raise AssertionError("it never comes to an end")

    def begin(self) -> None:
        """Let the group remember what it has to."""
        data = self.plugin.data_of(self.context, self.members)
        self.context = dataclasses.replace(self.context, data=data)

    def reach(
        self, found: Values, failed: collections.abc.Collection[str] = ()
    ) -> None:
        """Bring the members to what a stage says."""
        self.context = dataclasses.replace(self.context, physical_id="stack")
        self.time += 1
        there = {each.name: each for each in self.members}
        self.members = [
            member(
                name,
                typing.cast("Values", definition),
                is_failed=name in failed,
                created_at=there[name].created_at
                if name in there
                else self.time,
            )
            for name, definition in sorted(found.items())
        ]


class View:
    """A stack whose members show these attributes."""

    stack_id = "stack"
    stack_name = "shop-group"

    def __init__(
        self,
        members: collections.abc.Sequence[nested_stack.Member],
        shown: collections.abc.Mapping[str, Values],
    ) -> None:
        self.members = members
        self._shown = shown

    def output(self, name: str) -> object:
        raise errors.Invalid(f"no output {name}")

    def attribute(self, member: str, path: nested_stack.Path) -> object:
        name, *rest = path
        if name not in self._shown.get(member, {}):
            raise errors.Invalid(f"{member} shows no {name}")
        return nested_stack.find_part(self._shown[member][str(name)], rest)
