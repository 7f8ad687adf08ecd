"""Post-ops of ``release`` report what became of the physical resources."""

from tests.functional import lifecycle
from tests.functional import owning
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates


class OutcomesTestCase(owning.HeldTestCase):
    """The former owner's plug-ins judge what another stack adopts."""

    def posts(self, stack: rest.Stack | None = None) -> list[owning.Json]:
        return [
            each
            for each in self.plugins.lines(stack or self.former)
            if each["verb"] == "release" and each["phase"] == "post"
        ]

    def check_posts(
        self, *outcomes: str, stack: rest.Stack | None = None
    ) -> list[owning.Json]:
        """Check that both plug-ins got one post-op for each outcome."""
        waiting.wait_for(
            lambda: len(self.posts(stack)) >= 2 * len(outcomes),
            "the post-ops of the release",
        )
        found = self.posts(stack)
        self.assertEqual(
            [
                (f"orch-test-{number}", outcome)
                for outcome in outcomes
                for number in (2, 1)
            ],
            [(each["plugin"], each["outcome"]) for each in found],
        )
        pres = [
            each["operation"]
            for each in self.plugins.lines(stack or self.former)
            if each["verb"] == "release"
            and each["phase"] == "pre"
            and not each["is_preview"]
        ]
        posts = [each["operation"] for each in found]
        self.assertEqual(sorted(pres), sorted(posts))
        return found

    def half_taken(self, both: rest.Stack) -> rest.Stack:
        """Return a stack that has failed after it took ``a``, before ``b``."""
        new = self.made("-new")
        self.world.order(new.name, "create", "x", how="permanent")

        self.update(
            new,
            owning.template(
                n=owning.linked(),
                x={**world_templates.declare_resource(), "depends_on": "n"},
                m={**owning.linked(), "depends_on": "x"},
            ),
            external_ids={
                "n": self.id_of(both, "a"),
                "m": self.id_of(both, "b"),
            },
            adopt_owned=True,
            disable_rollback=True,
        )
        self.client.wait(new, "UPDATE_FAILED")
        return new


class OutcomeTests(OutcomesTestCase):
    def test_complete_once_it_is_taken(self) -> None:
        new = self.adopt_held()

        self.assertEqual([], self.posts())
        self.act(new, "approve", {})
        self.client.wait(new, "ADOPT_COMPLETE")

        (last, _) = self.check_posts("complete")
        self.assertEqual(["a"], last["paths"])
        self.assertEqual(
            f"Taken over by stack {new.name} ({new.id})", last["reason"]
        )

    def test_denied(self) -> None:
        self.plugins.order(1, "pre", "deny", verb="adopt", text="frozen")

        new = self.adopt(self.physical_id)
        self.client.wait(new, "ADOPT_FAILED")

        (last, _) = self.check_posts("denied")
        self.assertEqual(["a"], last["paths"])
        self.assertIn("frozen", last["reason"])

    def test_rejected(self) -> None:
        new = self.adopt_held()

        self.act(new, "reject", {})

        self.check_posts("rejected")

    def test_cancelled(self) -> None:
        new = self.held_update()

        self.act(new, "cancel_without_rollback")
        self.client.wait(new, "UPDATE_FAILED")

        self.check_posts("cancelled")

    def test_superseded_by_what_is_done(self) -> None:
        new = self.held_update()

        self.update(new, owning.template())
        self.client.wait(new, "UPDATE_COMPLETE")

        self.check_posts("superseded")

    def test_a_denial_of_what_superseded_it_lets_it_continue(self) -> None:
        new = self.held_update()
        self.plugins.order(2, "pre", "deny", verb="delete", stack=new.name)

        self.client.delete(new)
        self.client.wait(new, "UPDATE_COMPLETE")

        self.check_posts("complete")
        self.check_taken(self.former, "a", new)

    def test_failed_before_it_is_taken_then_retried(self) -> None:
        new = self.failed_update()
        self.check_posts("failed")
        self.world.forgive(new.name)

        self.act(new, "retry", {})
        self.client.wait(new, "UPDATE_COMPLETE")

        self.check_posts("failed", "complete")

    def test_complete_with_what_was_taken_where_the_rest_was_not(self) -> None:
        both = self.made("-both", a=owning.linked(), b=owning.linked())

        new = self.half_taken(both)

        (last, _) = self.check_posts("complete", stack=both)
        self.assertEqual(["a"], last["paths"])
        self.assertIn("not taken: b: ", last["reason"])
        self.check_taken(both, "a", new)

    def test_a_retry_is_judged_for_what_is_left(self) -> None:
        both = self.made("-both", a=owning.linked(), b=owning.linked())
        new = self.half_taken(both)
        self.world.forgive(new.name)

        self.act(new, "retry", {})
        self.client.wait(new, "UPDATE_COMPLETE")

        posts = self.check_posts("complete", "complete", stack=both)
        self.assertEqual(
            [["a"], ["a"], ["b"], ["b"]], [each["paths"] for each in posts]
        )
        pres = [
            each["paths"]
            for each in self.plugins.lines(both)
            if (each["verb"], each["phase"]) == ("release", "pre")
        ]
        self.assertEqual([["a", "b"], ["a", "b"], ["b"], ["b"]], pres)

    def test_a_retry_asks_none_where_nothing_is_left(self) -> None:
        self.plugins.order(
            1, "post", "raise", verb="update", text="later", once="failed"
        )
        new = self.made("-new")
        self.take(new)
        self.client.wait(new, "UPDATE_FAILED")
        self.check_posts("complete")
        self.plugins.order(1, "pre", "deny", verb="release")

        self.act(new, "retry", {})
        self.client.wait(new, "UPDATE_COMPLETE")

        self.check_posts("complete")

    def test_a_child_that_loses_it_is_named(self) -> None:
        root, _, physical_id = self.made_with_child()

        new = self.adopt(physical_id)
        self.client.wait(new, "ADOPT_COMPLETE")

        (last, _) = self.check_posts("complete", stack=root)
        self.assertEqual(["kid/b"], last["paths"])

    def test_a_child_takes_it(self) -> None:
        new = self.adopt_document(self.nested_document())
        self.client.wait(new, "ADOPT_COMPLETE")

        self.check_posts("complete")

    def test_of_an_applied_plan(self) -> None:
        new = self.made("-new")
        plan = self.client.post(
            f"{new.path}/plans",
            "plan",
            action="update",
            template=owning.template(n=owning.linked()),
            **self.adopting(),
        )
        self.client.ask("POST", f"{new.path}/plans/{plan['id']}/apply", {})
        self.client.wait(new, "UPDATE_COMPLETE")

        self.check_posts("complete")


class KilledTests(OutcomesTestCase):
    """No death of a worker loses a post-op, or changes its outcome."""

    def test_while_it_is_taken(self) -> None:
        self.world.order(f"{self.name}-new", "check", "n")
        new = self.adopt(self.physical_id)
        waiting.wait_for(
            lambda: "a" not in self.client.resources(self.former), "taken"
        )
        self.assertEqual([], self.posts())

        self.kill_workers()
        self.world.forgive(new.name)
        self.client.wait(new, "ADOPT_COMPLETE")

        self.check_posts("complete")

    def test_before_a_rejection(self) -> None:
        new = self.adopt_held()

        self.kill_workers()
        self.act(new, "reject", {})

        self.check_posts("rejected")

    def test_after_the_first_post_op(self) -> None:
        self.plugins.order(
            1, "post", "vanish", verb="release", once="vanished"
        )
        new = self.adopt(self.physical_id)
        waiting.wait_for(
            lambda: self.plugins.has_happened("vanished"), "the worker died"
        )
        # Another worker makes the calls of a lost one after a time.
        lifecycle.change(
            self.system,
            "UPDATE lifecycle_runs SET began_at = began_at - 3600",
        )
        self.kill_workers()

        self.client.wait(new, "ADOPT_COMPLETE")
        self.check_posts("complete")
