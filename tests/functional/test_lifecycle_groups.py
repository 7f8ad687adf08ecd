"""Plug-ins that deny what a signal asks of a group, and its size then."""

import typing

from tests.functional import lifecycle
from tests.functional import test_groups
from tests.support import rest


class DeniedScalingTests(
    lifecycle.LifecycleTestCase, test_groups.GroupsTestCase
):
    """One plug-in, for stacks in stacks too."""

    signal = test_groups.ScalingTests.signal
    count = 1
    each: typing.ClassVar[lifecycle.Json] = {"scope": "every"}

    def denied(self, do: str = "deny") -> tuple[rest.Stack, rest.Stack]:
        """Return a stack with a group that was not allowed to grow.

        :returns: it, and the stack of the group
        """
        # A group that is made with a cooldown has to settle first.
        stack = self.make(self.cooling(cooldown=0))
        self.change(stack, self.cooling())
        inner = self.child_of(stack, "g")
        self.plugins.order(1, "pre", do, verb="update", text="no room")
        self.signal(stack)
        return stack, inner

    def test_the_next_signal_goes_on_from_the_size_that_stands(self) -> None:
        stack, inner = self.denied()
        self.client.wait(inner, "UPDATE_FAILED")
        self.assertEqual(2, len(self.physical_resources()))
        self.plugins.forgive()

        # No cooldown has begun either.
        self.signal(stack)
        self.client.wait(inner, "UPDATE_COMPLETE")

        self.assertEqual(3, len(self.physical_resources()))

    def test_an_update_of_the_stack_does_not_make_what_was_denied(
        self,
    ) -> None:
        stack, inner = self.denied("hold")
        self.wait_until_held(inner)
        self.act(inner, "reject")
        self.client.wait(inner, "UPDATE_FAILED")
        self.plugins.forgive()

        self.change(stack, self.cooling("new"))

        self.assertEqual(2, len(self.physical_resources()))

    def test_a_retry_of_what_was_denied_makes_it_so_large(self) -> None:
        stack, inner = self.denied()
        self.client.wait(inner, "UPDATE_FAILED")
        self.plugins.forgive()

        self.client.retry(inner)
        self.client.wait(inner, "UPDATE_COMPLETE")
        self.change(stack, self.cooling("new"))

        self.assertEqual(3, len(self.physical_resources()))

    def cooling(self, label: str = "m", cooldown: int = 600) -> rest.Json:
        """Return a group that keeps its size for a while, and its policy."""
        found = test_groups.scaling()
        group = typing.cast(typing.Any, found["g"])
        group["properties"]["cooldown"] = cooldown
        group["properties"]["resource"] = test_groups.member(label=label)
        return found
