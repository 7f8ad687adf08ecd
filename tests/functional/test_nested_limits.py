"""How many resources a tree of stacks may have."""

import typing

from tests.functional import nesting
from tests.support import rest
from tests.support import world_templates

Json = world_templates.Json
child_resource = nesting.child_resource
declare_resource = world_templates.declare_resource
template = world_templates.template


def _value(number: int) -> Json:
    """Return a resource whose value is known in the run."""
    return {"type": "OS::Heat::Value", "properties": {"value": number}}


def _known_later() -> Json:
    """Return a group of as many members as ``v`` says."""
    return {
        "type": "OS::Heat::ResourceGroup",
        "properties": {
            "count": {"get_attr": ["v", "value"]},
            "resource_def": {"type": "Test::World::Thing"},
        },
    }


class LimitTestCase(nesting.NestedTestCase):
    """Trees that come to their limit."""

    def check_exceeded(self, stack: rest.Stack) -> None:
        """Check that a stack says why it has failed."""
        reason = str(self.client.show(stack)["stack_status_reason"])
        self.assertIn("Maximum resources per stack exceeded", reason)


class LimitTests(LimitTestCase):
    options: typing.ClassVar[Json] = {
        "DEFAULT": {"max_resources_per_stack": 5}
    }

    def test_no_more_are_accepted_than_a_stack_may_have(self) -> None:
        refused = self.refused(
            self.make, {"one": child_resource(), "two": child_resource()}
        )

        self.assertEqual((400, "RequestLimitExceeded"), refused)
        self.assertEqual([], self.physical_resources())

    def test_a_tree_has_no_more_resources_than_a_stack(self) -> None:
        """The run alone knows how many members the groups have."""
        stack = self.make(
            {"v": _value(2), "one": _known_later(), "two": _known_later()},
            "CREATE_FAILED",
        )

        reason = str(self.client.show(stack)["stack_status_reason"])
        self.assertRegex(
            reason,
            "^Resource CREATE failed: RequestLimitExceeded:"
            r" resources\.(one|two): Request limit exceeded: Maximum resources"
            r" per stack exceeded\.$",
        )

    def test_of_many_as_many_are_made_as_there_is_room_for(self) -> None:
        stack = self.make(
            {
                "v": _value(1),
                **{name: _known_later() for name in ("one", "two", "three")},
            },
            "CREATE_FAILED",
            keep_going=True,
        )

        self.check_exceeded(stack)
        self.assertEqual(1, len(self.physical_resources()))


class CountTests(LimitTestCase):
    """The tree of a root has room for as many resources as a stack."""

    options: typing.ClassVar[Json] = {
        "DEFAULT": {"max_resources_per_stack": 7}
    }

    def test_what_a_rollback_takes_back_is_not_counted(self) -> None:
        stack = self.make({"x": declare_resource()}, disable_rollback=False)
        self.world.order(
            self.name,
            "create",
            "y",
            how="permanent",
            moment="before",
            times=1,
        )
        self.change(
            stack,
            {
                "x": declare_resource(),
                "kid": child_resource(),
                "y": declare_resource("kid"),
            },
            "ROLLBACK_COMPLETE",
        )

        self.change(
            stack,
            {
                "x": declare_resource(),
                "one": child_resource(),
                "two": child_resource(),
            },
        )

        self.assertEqual(5, len(self.physical_resources()))

    def test_an_inner_stack_that_is_deleted_by_itself_makes_room(
        self,
    ) -> None:
        stack = self.make({"kid": child_resource(), "x": declare_resource()})
        kid = self.child_of(stack, "kid")

        self.client.delete(kid)
        self.client.wait(kid, "DELETE_COMPLETE")
        self.change(stack, {"one": child_resource(), "two": child_resource()})

        self.assertEqual(4, len(self.physical_resources()))

    def group(self, count: int) -> Json:
        """Return a group of things."""
        return {
            "type": "OS::Heat::ResourceGroup",
            "properties": {
                "count": count,
                "resource_def": {"type": "Test::World::Thing"},
            },
        }

    def test_what_shrinks_makes_room_for_what_is_new(self) -> None:
        """First it is 2 + 4, in the end 2 + 1 + 2; summed up 2 + 4 + 2."""
        stack = self.make({"g": self.group(4), "x": declare_resource()})

        self.change(stack, {"g": self.group(1), "one": child_resource()})

        self.assertEqual(3, len(self.physical_resources()))

    def test_what_goes_makes_room_for_what_takes_its_place(self) -> None:
        stack = self.make({"old": self.group(4), "x": declare_resource()})

        self.change(stack, {"new": self.group(5), "x": declare_resource()})

        self.assertEqual(6, len(self.physical_resources()))

    def test_what_goes_makes_room_for_what_the_root_itself_has(self) -> None:
        stack = self.make({"old": self.group(5), "x": declare_resource()})

        self.change(stack, {f"x{n}": declare_resource() for n in range(7)})

        self.assertEqual(7, len(self.physical_resources()))

    def test_no_more_is_allowed_than_there_is_room_for_in_the_end(
        self,
    ) -> None:
        stack = self.make({"g": self.group(4), "x": declare_resource()})

        self.change(
            stack,
            {"g": self.group(1), "v": _value(3), "one": _known_later()},
        )
        self.change(
            stack,
            {"g": self.group(2), "v": _value(4), "one": _known_later()},
            "UPDATE_FAILED",
        )
        self.check_exceeded(stack)
        for many in (
            {f"x{n}": declare_resource() for n in range(8)},
            {
                "g": self.group(3),
                "one": child_resource(),
                "two": child_resource(),
            },
        ):
            refused = self.refused(self.change, stack, many)
            self.assertEqual((400, "RequestLimitExceeded"), refused)

    def test_what_is_retained_takes_its_room(self) -> None:
        kept = {**child_resource(), "deletion_policy": "Retain"}
        stack = self.make({"kid": kept, "x": declare_resource()})

        self.change(
            stack,
            {"one": child_resource(), "two": child_resource()},
            "UPDATE_FAILED",
        )

        self.check_exceeded(stack)
