"""What the target would refuse is not abandoned at the source."""

import secrets
import typing

from orchclient import client as clients
from orchclient import push
from tests.functional import handing_over
from tests.functional.orchclient import pushing
from tests.support import installations
from tests.support import rest
from tests.support import running
from tests.support import systems

Json = pushing.Json


class RefusedTests(pushing.PushTestCase):
    """The target has room for two stacks, and not all types."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        narrow = running.Embedded(
            {
                **installations.OPTIONS,
                "DEFAULT": {"max_stacks_per_tenant": 2},
            },
            # It knows no types of the world.
        )
        cls.narrow = cls.use(narrow).system

    def refused(  # type: ignore[override]
        self, code: int, *words: str, target: str | None = None
    ) -> str:
        """Return why a push is refused; it changes nothing."""
        (stack,) = (self.found(self.here),)
        shown = self.here.show(stack)
        before = self.there.get("/stacks", "stacks")

        ended = self.push("--yes", *words, target=target)

        self.assertEqual(code, ended.code, ended)
        self.assertIn("check at the target", ended.err)
        self.assertIn("Nothing has changed at the source.", ended.err)
        self.assertEqual(shown, self.here.show(stack))
        self.assertEqual(before, self.there.get("/stacks", "stacks"))
        return ended.err

    def test_an_unknown_type_is_refused(self) -> None:
        self.created(self.chain())

        why = self.refused(7, target=self.narrow.endpoint)

        self.assertIn("Test::World::Thing", why)
        self.assertIn(self.narrow.endpoint, why)

    def test_a_quota_is_kept(self) -> None:
        wanted = pushing.handled()
        del wanted["resources"]["a"]
        self.created(wanted)
        made = [
            self.narrow.client.create(f"{self.name}-{each}", wanted)
            for each in "ab"
        ]

        why = self.refused(7, target=self.narrow.endpoint)

        self.assertIn("The project has 2 stacks already", why)
        self.narrow.client.delete(made[0])
        self.narrow.client.wait(made[0], "DELETE_COMPLETE")
        ended = self.push(target=self.narrow.endpoint)
        self.assertEqual(0, ended.code, ended)

    def test_a_name_of_another_stack_is_refused(self) -> None:
        self.created(self.chain())
        there = self.there.create(self.name, pushing.handled())
        self.there.wait(there, "CREATE_COMPLETE")

        why = self.refused(6)

        self.assertIn(f"The Stack ({self.name}) already exists", why)
        self.pushed("--name", f"{self.name}-2")

    def test_the_project_of_the_stack_is_no_target(self) -> None:
        """Whatever its address is."""
        wanted = pushing.handled()
        del wanted["resources"]["a"]
        stack = self.created(wanted)
        shown = self.here.show(stack)
        same = self.pair.here.endpoint.replace("127.0.0.1", "localhost")

        ended = self.push("--yes", "--name", f"{self.name}-2", target=same)

        self.assertEqual(6, ended.code, ended)
        self.assertIn("it is the source", ended.err)
        self.assertIn("Nothing has changed at the source.", ended.err)
        self.assertEqual(shown, self.here.show(stack))

    def test_what_is_handed_over_is_not_adopted_twice(self) -> None:
        stack = self.created(self.chain())
        there = self.there.get("/stacks", "stacks")
        receiver = handing_over.client_of(self.pair.here, handing_over.TO)
        self.addCleanup(receiver.close)
        parties = handing_over.Parties(self.here, receiver)
        parties.hand_over(stack)

        offered = self.push("--yes")
        parties.take_over(stack)
        taken = self.push("--yes")

        for ended, why in (
            (offered, f"is handed over to project {handing_over.TO}"),
            (taken, "was taken over by stack"),
        ):
            self.assertEqual(6, ended.code, ended)
            self.assertIn("at the source", ended.err)
            self.assertIn(why, ended.err)
        self.assertEqual(there, self.there.get("/stacks", "stacks"))

    def test_a_copy_of_a_stack_that_exists_is_another_stack(self) -> None:
        """It was adopted from an export, and not taken."""
        wanted = pushing.handled()
        del wanted["resources"]["a"]
        stack = self.created(wanted)
        self.adopt(self.export(stack))

        why = self.refused(6)

        self.assertIn("already exists", why)

    def test_a_name_that_is_taken_meanwhile_is_refused(self) -> None:
        """The document is adopted later, and nothing is lost."""
        self.created(self.chain())

        def confirm(_: object) -> bool:
            other = self.there.create(self.name, pushing.handled())
            self.there.wait(other, "CREATE_COMPLETE")
            return True

        error = self.assertRaises(
            push.PushError,
            push.push,
            *self.clients(),
            self.name,
            confirm=confirm,
        )

        self.assertEqual(push.Side.TARGET, error.side)
        self.assertEqual(push.Step.CHECK, error.step)
        self.assertIn("was not abandoned", error.advice)
        self.found(self.here)

    def test_a_missing_physical_resource_is_refused(self) -> None:
        self.created(self.chain())
        self.world.remove(self.name, "a")

        why = self.refused(6)

        self.assertIn("a (", why)
        self.assertIn("although", why)
        self.pushed("--adopt-verify", "warn")

    def test_one_in_a_child_stack_is_refused_with_its_path(self) -> None:
        wanted, files = pushing.tree()
        self.created(wanted, files=files)
        child = next(
            each
            for each in self.world.calls()
            if each.act == "create"
            and each.name == "m"
            and each.stack.startswith(self.name)
        )
        self.world.remove(child.stack, "m")

        why = self.refused(6)

        self.assertIn("mid/m (", why)

    def test_what_differs_is_refused_if_asked_for(self) -> None:
        self.created(self.chain("old"))
        self.world.relabel(self.name, "a", "new")

        why = self.refused(6, "--adopt-verify", "refuse")

        self.assertIn("a differs in label", why)
        shown = self.pushed()
        self.assertIn("label", shown.out)

    def test_who_does_not_agree_changes_nothing(self) -> None:
        stack = self.created(self.chain())
        shown = self.here.show(stack)

        pushed = push.push(
            *self.clients(), self.name, confirm=lambda plan: False
        )

        self.assertIsNone(pushed)
        self.assert_unchanged(stack, shown)

    def test_a_stack_that_changes_meanwhile_is_prepared_again(self) -> None:
        """A signal between the two steps is in the document."""
        stack = self.created(pushing.handled())
        source, target = self.clients()
        prepare = source.adoption.prepare
        prepared: list[object] = []

        def slow(*given: typing.Any, **secrets: typing.Any) -> object:
            ready = prepare(*given, **secrets)
            prepared.append(ready)
            if len(prepared) == 1:
                self.here.ask(
                    "POST",
                    f"{stack.path}/resources/handle/signal",
                    {"id": "1", "data": "between"},
                )
            return ready

        source.adoption.prepare = slow  # type: ignore[method-assign]

        push.push(source, target, self.name)

        path = f"{self.found().path}/resources/handle/metadata"
        self.assertIn("between", str(self.there.get(path, "metadata")))

    def test_one_that_changes_all_the_time_is_not_abandoned(self) -> None:
        stack = self.created(pushing.handled())
        source, target = self.clients()
        prepare = source.adoption.prepare
        numbers = iter(range(100))

        def busy(*given: typing.Any, **secrets: typing.Any) -> object:
            ready = prepare(*given, **secrets)
            self.here.ask(
                "POST",
                f"{stack.path}/resources/handle/signal",
                {"id": str(next(numbers)), "data": "d"},
            )
            return ready

        source.adoption.prepare = busy  # type: ignore[method-assign]

        error = self.assertRaises(
            push.PushError, push.push, source, target, self.name
        )

        self.assertEqual(push.Step.ABANDON, error.step)
        self.assertIn("moved on", str(error))
        self.assertEqual(5, next(numbers))
        self.found(self.here)
        self.assertEqual([], self.listed(self.there))

    def test_a_refused_push_stops_no_operation(self) -> None:
        wanted = self.chain()
        self.world.order(self.name, "create", "b")
        stack = self.here.create(self.name, wanted)
        self.wait_for("create", "b")

        refused = self.push("--name", "no/name")
        shown = self.here.show(stack)

        self.assertEqual(7, refused.code, refused)
        self.assertEqual("CREATE_IN_PROGRESS", shown["stack_status"])
        self.world.release(self.name)
        self.here.wait(stack, "CREATE_COMPLETE")

    def clients(self) -> tuple[clients.Client, clients.Client]:
        return (
            self.client(self.pair.here.endpoint),
            self.client(self.pair.there.endpoint),
        )


class LargeTests(pushing.PushTestCase):
    """The installations take documents of a few kilobytes.

    :ivar wide: one that takes large ones
    """

    options: typing.ClassVar[systems.Options] = {
        **pushing.OPTIONS,
        "adoption": {
            **pushing.OPTIONS["adoption"],
            "max_document_size": 20_000,
        },
        "DEFAULT": {"max_json_body_size": 100_000},
    }

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        wide = running.Embedded(pushing.OPTIONS, cls.world.environment)
        cls.wide = cls.use(wide).system

    def test_what_only_the_target_finds_too_large_is_compact(self) -> None:
        stack = self.wide.client.create(
            self.name, self.chain(), files={"f": "a" * 200_000}
        )
        self.wide.client.wait(stack, "CREATE_COMPLETE")
        before = self.existing_names()

        ended = self.push(source=self.wide.endpoint)

        self.assertEqual(0, ended.code, ended)
        self.assertEqual([], self.listed(self.wide.client))
        self.assertEqual(before, self.existing_names())
        self.found()

    def test_a_large_document_is_compact(self) -> None:
        self.created(self.chain(), files={"f": "a" * 20_001})
        before = self.existing_names()

        self.pushed()
        again = self.pushed()

        self.assertEqual(before, self.existing_names())
        self.assertNotIn("check:", again.out)
        self.assertIsInstance(self.found(), rest.Stack)

    def test_one_that_stays_too_large_is_refused(self) -> None:
        noise = secrets.token_hex(40_000)
        stack = self.created(self.chain(), files={"f": noise})
        shown = self.here.show(stack)

        ended = self.push()

        self.assertEqual(7, ended.code, ended)
        self.assertIn("check at the source", ended.err)
        self.assertIn("in its compact form", ended.err)
        self.assert_unchanged(stack, shown)
