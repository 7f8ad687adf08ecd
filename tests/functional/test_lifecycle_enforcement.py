"""Enforcement levels: advisory, soft-mandatory and mandatory plug-ins."""

import json
import typing

from tests.functional import acting
from tests.functional import lifecycle
from tests.functional import nesting
from tests.functional.cfn import test_actions as cfn
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]

ADVISORY, SOFT, MANDATORY = 1, 2, 3
_LEVELS: typing.Final = {1: "advisory", 2: "soft-mandatory"}
_SOFT_HINT: typing.Final = (
    " (soft-mandatory: who has the right may override it with a reason)"
)
_REASON: typing.Final = "the façade is down"


class EnforcementTestCase(lifecycle.LifecycleTestCase):
    """Three plug-ins, one of each level."""

    each: typing.ClassVar[Json] = {"levels": _LEVELS}

    def user(
        self,
        name: str | None = None,
        roles: str | None = None,
        override: str | None = None,
    ) -> rest.Client:
        """Return the client of a user; ``None`` for all roles."""
        found = rest.Client(
            self.client.endpoint,
            roles=roles,
            user_id=name and f"id-{name}",
            user_name=name,
            override=override,
        )
        self.addCleanup(found.close)
        return found

    def ann(self) -> rest.Client:
        """Return a user who overrides denials."""
        return self.user("ann", override=_REASON)

    def deny(self, number: int, **more: object) -> None:
        self.plugins.order(number, "pre", "deny", text="frozen", **more)

    def create(self, client: rest.Client | None = None) -> rest.Stack:
        return (client or self.client).create(
            self.name, world_templates.chain()
        )

    def pre(self, stack: rest.Stack, number: int) -> Json:
        """Return the newest call of a pre-op, as the operation shows it."""
        found = [
            each
            for each in self.operation(stack)["lifecycle"]
            if each["plugin"] == f"orch-test-{number}"
            and each["phase"] == "pre"
        ]
        return typing.cast(Json, found[-1])

    def assert_overridden(self, stack: rest.Stack) -> None:
        """Check the audit trail of the newest operation."""
        call = self.pre(stack, SOFT)
        self.assertEqual(
            ("deny", "frozen", "soft-mandatory", "ann", _REASON),
            (
                call["ruling"],
                call["text"],
                call["enforcement"],
                call["overridden_by"],
                call["override_reason"],
            ),
        )
        action = self.operation(stack)["action"]
        self.assertIn(
            f"Lifecycle plug-in orch-test-2 denied the {action}, and ann has"
            f" overridden that: {_REASON} (denied with: frozen)",
            self.reasons(stack),
        )


class LevelsTest(EnforcementTestCase):
    """What a denial of each level does, and where the levels are shown."""

    def test_plug_ins_are_listed_with_their_levels(self) -> None:
        found = self.client.get("/lifecycle/plugins", "plugins")

        levels = [x["enforcement"] for x in typing.cast(list[Json], found)]
        self.assertEqual(["advisory", "soft-mandatory", "mandatory"], levels)

    def test_a_denial_of_an_advisory_one_is_a_warning(self) -> None:
        self.deny(ADVISORY)

        stack = self.create()

        self.client.wait(stack, "CREATE_COMPLETE")
        self.assertIn(
            "Lifecycle plug-in orch-test-1, which is advisory, denied the"
            " CREATE: frozen",
            self.reasons(stack),
        )
        call = self.pre(stack, ADVISORY)
        self.assertEqual(
            ("deny", "advisory"), (call["ruling"], call["enforcement"])
        )
        (verdict,) = self.client.show(stack)["verdicts"]
        self.assertEqual(
            ("orch-test-1", "warn", "frozen", "advisory"),
            (
                verdict["plugin"],
                verdict["ruling"],
                verdict["text"],
                verdict["enforcement"],
            ),
        )
        # It learns the outcome, as the operation went on.
        self.assertEqual(
            lifecycle.PRES + lifecycle.POSTS,
            self.plugins.calls(stack, "create"),
        )

    def test_an_advisory_one_that_fails_or_holds_stops_nothing(self) -> None:
        for do, text in (
            ("raise", "failed before the CREATE: RuntimeError"),
            ("hold", "requires an approval of the CREATE: ask"),
        ):
            with self.subTest(do):
                self.take_name()
                self.plugins.forgive()
                self.plugins.order(ADVISORY, "pre", do, text="ask")

                stack = self.create()

                self.client.wait(stack, "CREATE_COMPLETE")
                self.assertIn(text, "\n".join(self.reasons(stack)))

    def test_a_plan_shows_who_denies_and_what_can_be_overridden(self) -> None:
        for number in (ADVISORY, SOFT, MANDATORY):
            self.deny(number)

        found = self.client.ask(
            "POST",
            "/stacks/preview",
            {"stack_name": self.name, "template": world_templates.chain()},
        )

        plan = typing.cast(Json, found)["stack"]["plan"]
        self.assertEqual(
            [
                ("orch-test-1", "warn", "advisory"),
                ("orch-test-2", "deny", "soft-mandatory"),
                ("orch-test-3", "deny", "mandatory"),
            ],
            [
                (each["plugin"], each["ruling"], each["enforcement"])
                for each in plan["verdicts"]
            ],
        )


class OverrideTest(EnforcementTestCase, acting.ActionsTestCase):
    """Requests that override denials, with a reason."""

    def test_a_soft_mandatory_denial_counts_without_an_override(self) -> None:
        self.deny(SOFT)

        stack = self.create()

        shown = self.client.wait(stack, "CREATE_FAILED")
        self.assertIn(
            f"orch-test-2 denied the CREATE: frozen{_SOFT_HINT}",
            shown["stack_status_reason"],
        )
        self.assertIsNone(self.pre(stack, SOFT)["overridden_by"])

    def test_each_request_may_override_it(self) -> None:
        self.deny(SOFT)
        ann = self.ann()
        stack = self.create(ann)
        self.client.wait(stack, "CREATE_COMPLETE")
        self.assert_overridden(stack)
        changed = {"template": world_templates.chain("extra")}
        for status, method, path, body in (
            ("UPDATE", "PUT", "", changed),
            ("UPDATE", "PATCH", "", {"parameters": {}}),
            ("SUSPEND", "POST", "/actions", {"suspend": None}),
            ("RESUME", "POST", "/actions", {"resume": None}),
            ("CHECK", "POST", "/actions", {"check": None}),
            ("SNAPSHOT", "POST", "/snapshots", {"name": "s"}),
            ("DELETE", "DELETE", "", None),
        ):
            with self.subTest(f"{method} {path} {status}"):
                count = len(self.operations(stack))
                ann.ask(method, stack.path + path, body)

                self.ended(stack, count)

                self.assertEqual("COMPLETE", self.operation(stack)["state"])
                self.assert_overridden(stack)

    def ended(self, stack: rest.Stack, count: int) -> None:
        """Return once a stack has had one more operation than before."""

        def is_over() -> bool:
            found = self.operations(stack)
            return len(found) > count and found[0]["state"] in (
                "FAILED",
                "COMPLETE",
            )

        waiting.wait_for(is_over, "an operation")

    def test_a_failure_of_the_plug_in_is_overridden_too(self) -> None:
        self.plugins.order(SOFT, "pre", "raise", text="no network")

        stack = self.create(self.ann())

        self.client.wait(stack, "CREATE_COMPLETE")
        call = self.pre(stack, SOFT)
        self.assertEqual(
            (None, "ann"), (call["ruling"], call["overridden_by"])
        )
        self.assertIn("no network", call["error"])

    def test_a_mandatory_denial_is_not_overridden(self) -> None:
        self.deny(MANDATORY)

        stack = self.create(self.ann())

        shown = self.client.wait(stack, "CREATE_FAILED")
        self.assertIn(
            "orch-test-3 denied the CREATE: frozen (mandatory: it cannot be"
            " overridden)",
            shown["stack_status_reason"],
        )
        self.assertEqual([], self.world.physical_resources(self.name))

    def test_a_hold_waits_for_an_approval_all_the_same(self) -> None:
        self.plugins.order(SOFT, "pre", "hold", text="ask")

        stack = self.create(self.ann())

        self.wait_until_held(stack)
        self.act(stack, "approve")
        self.client.wait(stack, "CREATE_COMPLETE")

    def test_a_retry_needs_an_override_of_its_own(self) -> None:
        self.deny(SOFT)
        self.deny(MANDATORY, once="first")
        stack = self.create(self.ann())
        self.client.wait(stack, "CREATE_FAILED")

        self.user("bob").retry(stack)
        self.client.wait(stack, "CREATE_FAILED")
        waiting.wait_for(
            lambda: (
                self.operation(stack)["attempt"] == 2
                and self.operation(stack)["state"] == "FAILED"
            ),
            "the second attempt",
        )
        self.assertIn("orch-test-2", self.operation(stack)["reason"])
        self.ann().retry(stack)

        self.client.wait(stack, "CREATE_COMPLETE")
        self.assert_overridden(stack)

    def test_who_has_no_right_may_not_override(self) -> None:
        bob = self.user("bob", roles="member,reader", override=_REASON)

        error = self.assertRaises(rest.RefusedError, self.create, bob)

        self.assertEqual((403, "Forbidden"), (error.status, error.type))
        self.assertEqual(
            [], self.client.get("/stacks?name=" + self.name, "stacks")
        )

    def test_a_reason_is_needed(self) -> None:
        for reason in ("", " ", "x" * 256, "two\nlines"):
            with self.subTest(reason[:9]):
                error = self.assertRaises(
                    rest.RefusedError, self.create, self.user(override=reason)
                )

                self.assertEqual(400, error.status)
                self.assertIn("Lifecycle-Override", error.message)

    def test_a_refusal_of_one_request_is_overridden_by_another(self) -> None:
        """A judged request: its stack has an event that says who did it."""
        self.deny(SOFT, verb="delete_snapshot")
        stack = self.create()
        self.client.wait(stack, "CREATE_COMPLETE")
        self.client.ask("POST", f"{stack.path}/snapshots", {"name": "s"})
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        found = self.client.get(f"{stack.path}/snapshots", "snapshots")
        (snapshot,) = typing.cast(list[Json], found)
        path = f"{stack.path}/snapshots/{snapshot['id']}"

        error = self.assertRaises(
            rest.RefusedError, self.client.ask, "DELETE", path
        )
        self.ann().ask("DELETE", path)

        self.assertEqual(403, error.status)
        self.assertEqual(
            "Lifecycle plug-in orch-test-2 denied the delete snapshot: frozen"
            + _SOFT_HINT,
            error.message,
        )
        self.assertEqual(
            [], self.client.get(f"{stack.path}/snapshots", "snapshots")
        )
        said = [x for x in self.reasons(stack) if "ann has overridden" in x]
        self.assertEqual(1, len(said), said)
        self.assertIn(_REASON, said[0])

    def test_a_mandatory_refusal_says_that_it_cannot_be_overridden(
        self,
    ) -> None:
        self.deny(MANDATORY, verb="drift_policy")
        stack = self.create()
        self.client.wait(stack, "CREATE_COMPLETE")

        error = self.assertRaises(
            rest.RefusedError,
            self.ann().ask,
            "PUT",
            f"{stack.path}/drift/policy",
            {"policy": {"stack": "repair"}},
        )

        self.assertEqual(403, error.status)
        self.assertIn("it cannot be overridden", error.message)


class TreeTest(EnforcementTestCase, nesting.NestedTestCase):
    """A plug-in that is called for each stack of a tree."""

    count = 2
    each: typing.ClassVar[Json] = {"levels": _LEVELS, "scope": "every"}

    def tree(self, client: rest.Client) -> rest.Stack:
        return client.create(
            self.name,
            world_templates.template(kid={"type": "kid.yaml"}),
            files={"kid.yaml": json.dumps(world_templates.chain())},
        )

    def test_the_override_of_a_request_counts_for_child_stacks(self) -> None:
        self.deny(SOFT)

        stack = self.tree(self.ann())

        self.client.wait(stack, "CREATE_COMPLETE")
        self.assert_overridden(stack)
        self.assert_overridden(self.child_of(stack, "kid"))

    def test_a_child_stack_may_be_changed_with_an_override(self) -> None:
        stack = self.tree(self.client)
        self.client.wait(stack, "CREATE_COMPLETE")
        kid = self.child_of(stack, "kid")
        self.deny(SOFT)
        self.client.ask("POST", f"{kid.path}/actions", {"suspend": None})
        self.client.wait(kid, "SUSPEND_FAILED")

        self.ann().ask("POST", f"{kid.path}/actions", {"suspend": None})

        self.client.wait(kid, "SUSPEND_COMPLETE")
        self.assert_overridden(kid)


class CloudFormationTest(
    EnforcementTestCase, cfn.CfnTestCase, nesting.NestedTestCase
):
    """The other API has no way to override a denial."""

    count = 2

    def test_a_denial_counts(self) -> None:
        stack = self.make({"kid": nesting.child_resource()})
        kid = self.child_of(stack, "kid")
        self.deny(SOFT)

        self.aws.update_stack(
            StackName=kid.id,
            UsePreviousTemplate=True,
            Parameters=[{"ParameterKey": "label", "ParameterValue": "new"}],
        )

        waiting.wait_for(
            lambda: self.operation(kid)["state"] == "FAILED", "the denial"
        )
        self.assertIn("frozen", str(self.operation(kid)["reason"]))
