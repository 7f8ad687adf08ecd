"""Updates that converge, and fail where anything cannot be read."""

import json
import typing

from tests.functional import converging
from tests.support import rest

Json = converging.Json
template = converging.template
single = converging.single
three = converging.three


class StrictTests(converging.RealityTestCase):
    """Updates that are told to fail where anything cannot be read."""

    def unreadable(self) -> rest.Stack:
        stack = self.created(three("old"))
        self.world.order(
            self.name, "read", "a", how="permanent", moment="before"
        )
        return stack

    def test_it_fails_where_anything_cannot_be_read(self) -> None:
        stack = self.unreadable()
        self.world.relabel(self.name, "c", "somebody's")
        shown = typing.cast(
            Json,
            self.preview(stack, three("new"), converge="strict")["plan"],
        )
        warnings = typing.cast(list[str], shown["warnings"])
        self.assertIn("The update will fail.", warnings[-1])
        self.assertIn("a: the world fails read of a", warnings[-1])

        calls = self.converge(
            stack, three("new"), converge="strict", wait="UPDATE_FAILED"
        )

        self.assertEqual([], calls)
        reason = str(self.client.show(stack)["stack_status_reason"])
        self.assertIn("a: the world fails read of a", reason)
        self.world.forgive(self.name)
        calls = self.converge(stack, three("new"), converge="strict")
        self.assertEqual(["update a", "update b", "update c"], calls)

    def test_it_is_not_rolled_back_as_it_has_done_nothing(self) -> None:
        stack = self.unreadable()
        self.world.relabel(self.name, "c", "somebody's")

        calls = self.converge(
            stack,
            three("new"),
            converge="strict",
            wait="UPDATE_FAILED",
            disable_rollback=False,
        )

        self.assertEqual([], calls)

    def test_a_child_stack_is_read_with_it(self) -> None:
        inner = template(a=single(label="old"))
        outer = template(kid={"type": "kid.yaml"})
        files = {"kid.yaml": json.dumps(inner)}
        stack = self.created(outer, files=files)
        self.world.order(
            self.name, "read", "a", how="permanent", moment="before"
        )

        calls = self.converge(
            stack,
            outer,
            converge="strict",
            wait="UPDATE_FAILED",
            files=files,
        )

        self.assertEqual([], calls)
        reason = str(self.client.show(stack)["stack_status_reason"])
        self.assertIn("cannot be read: 1 more", reason)

    def test_what_a_type_never_tells_is_no_failure(self) -> None:
        wanted = template(a=single(label="old"), b=converging.mute())
        stack = self.created(wanted)

        self.assertEqual([], self.converge(stack, wanted, converge="strict"))

    def test_any_other_word_is_refused(self) -> None:
        stack = self.created(three("old"))

        error = self.assertRaises(
            rest.RefusedError,
            self.update,
            stack,
            three("old"),
            converge="strictly",
        )

        self.assertEqual(400, error.status)
        self.assertIn("true, false or strict", error.message)
