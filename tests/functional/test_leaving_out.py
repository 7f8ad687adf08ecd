"""R8 and keep going: what cannot be repaired does not stop the rest."""

import typing

from tests.support import failing
from tests.support import rest
from tests.support import world_templates

Json = world_templates.Json
declare_resource = world_templates.declare_resource
template = world_templates.template
chain = world_templates.chain

_EVER = 99


class LeavingOutTestCase(failing.RetryTestCase):
    """Things that fail whenever they are touched."""

    def statuses(self, stack: rest.Stack) -> dict[str, str]:
        return {
            name: str(row["resource_status"])
            for name, row in self.client.resources(stack).items()
        }


class SkipTests(LeavingOutTestCase):
    """R8: what is skipped stays as it is, and counts as done."""

    def test_r8_skip_in_an_update(self) -> None:
        stack = self.create()
        self.fail("update", "b", times=_EVER)
        self.update(stack, chain("new"))
        self.client.wait(stack, "UPDATE_FAILED")
        before = self.last_call()

        self.retry(stack, skip=["b"])
        shown = self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(
            "Stack UPDATE completed, left out: b", shown["stack_status_reason"]
        )

        self.assertEqual([("update", "c")], self.calls(before))
        self.assertEqual({"a": "new", "b": "", "c": "new"}, self.labels())
        b = self.client.resources(stack)["b"]
        self.assertEqual("UPDATE_FAILED", b["resource_status"])
        self.assertIn("Skipped", str(b["resource_status_reason"]))
        self.assertEqual(["b"], self.operations(stack)[0]["skip"])
        self.assertIn("resources.b", str(b["resource_status_reason"]))
        self.world.forgive(self.name)
        self.client.ask("PATCH", stack.path, {})
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual({"new"}, set(self.labels().values()))

    def test_r8_dependents_of_a_skipped_replacement_keep_the_old(self) -> None:
        wanted = template(
            b=declare_resource(value="old"),
            c=declare_resource(refs=[{"get_resource": "b"}], label="old"),
        )
        stack = self.create(wanted)
        (old,) = [
            each
            for each in self.world.physical_resources(self.name)
            if each.name == "b"
        ]
        self.fail("create", "b", times=_EVER)
        self.update(
            stack,
            template(
                b=declare_resource(value="new"),
                c=declare_resource(refs=[{"get_resource": "b"}], label="new"),
            ),
        )
        self.client.wait(stack, "UPDATE_FAILED")

        self.retry(stack, skip=["b"])
        self.client.wait(stack, "UPDATE_COMPLETE")

        things = {
            each.name: each
            for each in self.world.physical_resources(self.name)
        }
        self.assertEqual(old, things["b"])
        self.assertEqual((old.id,), things["c"].refs)
        self.assertEqual("new", things["c"].label)

    def test_r8_what_reads_a_thing_that_never_was_fails_clearly(self) -> None:
        self.fail("create", "b", times=_EVER)
        stack = self.client.create(
            self.name,
            template(
                b=declare_resource(),
                c=declare_resource(refs=[{"get_resource": "b"}]),
                d=declare_resource("b"),
            ),
        )
        self.client.wait(stack, "CREATE_FAILED")

        self.retry(stack, skip=["b"])
        shown = self.client.wait(stack, "CREATE_FAILED")
        self.assertIn("b was skipped", str(shown["stack_status_reason"]))
        self.retry(stack, skip=["c"])
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["d"], self.names())
        self.assertEqual(1, self.calls().count(("create", "b")))

    def test_r8_skip_in_an_action_on_what_stands(self) -> None:
        stack = self.create()
        self.fail("suspend", "b", times=_EVER)
        self.act(stack, suspend=None)
        self.client.wait(stack, "SUSPEND_FAILED")

        self.act(stack, suspend={"retry": True, "skip": ["b"]})
        self.client.wait(stack, "SUSPEND_COMPLETE")

        self.assertEqual(
            {
                "a": "SUSPEND_COMPLETE",
                "b": "SUSPEND_FAILED",
                "c": "SUSPEND_COMPLETE",
            },
            self.statuses(stack),
        )

    def test_r8_skip_in_a_delete_leaves_the_thing_behind(self) -> None:
        stack = self.create()
        self.fail("delete", "b", times=_EVER)
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")

        self.client.ask("DELETE", f"{stack.path}?retry=true&skip=b")
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(["b"], self.names())
        self.assertEqual(1, self.calls().count(("delete", "b")))


class OrphanTests(LeavingOutTestCase):
    """R8: what is orphaned is forgotten, and made anew if it is wanted."""

    def test_r8_orphan_in_an_update(self) -> None:
        stack = self.create()
        self.fail("update", "b", times=_EVER)
        self.update(stack, chain("new"))
        self.client.wait(stack, "UPDATE_FAILED")
        before = self.last_call()

        self.retry(stack, orphan=["b"])
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(["a", "b", "b", "c"], self.names())
        self.assertEqual(["b"], self.operations(stack)[0]["orphan"])
        self.assertEqual(
            [("create", "b"), ("update", "c")], self.calls(before)
        )
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual(["b"], self.names())
        (left,) = self.world.physical_resources(self.name)
        self.assertEqual("", left.label)

    def test_r8_what_is_made_for_an_orphan_is_none(self) -> None:
        stack = self.create()
        self.fail("update", "b", times=_EVER)
        self.update(stack, chain("new"))
        self.client.wait(stack, "UPDATE_FAILED")
        self.world.order(
            *(self.name, "create", "b"),
            how="permanent",
            moment="after",
            times=1,
        )

        self.retry(stack, orphan=["b"])
        self.client.wait(stack, "UPDATE_FAILED")
        self.retry(stack)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual(["b"], self.names())

    def test_r8_orphan_in_a_delete(self) -> None:
        stack = self.create()
        self.fail("delete", "b", times=_EVER)
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")

        self.retry(stack, orphan=["b"])
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(["b"], self.names())
        self.assertEqual({}, self.client.resources(stack))
        (left,) = self.world.physical_resources(self.name)
        told = [
            each
            for each in self.client.events(stack)
            if each["resource_name"] == "b"
        ][-1]
        self.assertEqual("DELETE_COMPLETE", told["resource_status"])
        self.assertEqual(left.id, told["physical_resource_id"])
        self.assertIn("left behind", str(told["resource_status_reason"]))

    def test_r8_orphan_of_a_replaced_thing_that_cannot_go(self) -> None:
        stack = self.create(
            template(b=declare_resource(value="old"), c=declare_resource("b"))
        )
        self.fail("delete", "b", times=_EVER)
        self.update(
            stack,
            template(b=declare_resource(value="new"), c=declare_resource("b")),
        )
        self.client.wait(stack, "UPDATE_FAILED")
        before = self.last_call()

        self.retry(stack, orphan=["b"])
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual([], self.calls(before))
        self.assertEqual(
            ["new", "old"],
            sorted(
                each.value
                for each in self.world.physical_resources(self.name)
                if each.name == "b"
            ),
        )
        self.assertEqual("CREATE_COMPLETE", self.statuses(stack)["b"])

    def test_r8_orphan_outlives_the_worker(self) -> None:
        stack = self.create()
        self.fail("update", "b", times=_EVER)
        self.update(stack, chain("new"))
        self.client.wait(stack, "UPDATE_FAILED")
        self.world.order(self.name, "create", "b", moment="after")

        self.retry(stack, orphan=["b"])
        self.wait_for_act("held-create-after", "b")
        self.system.server.kill()
        self.world.release(self.name)
        self.system.start()
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(["a", "b", "b", "c"], self.names())
        self.assertEqual([], self.world.doubles())


class NameTests(LeavingOutTestCase):
    """R8: only what is not complete can be left out."""

    def test_r8_all_wrong_names_are_refused_at_once(self) -> None:
        stack = self.create_failed()
        before = self.operations(stack)

        status, kind, text = self.refusal(
            self.client.ask,
            *("POST", f"{stack.path}/actions"),
            {"retry": {"skip": ["a", "b", "no"], "orphan": ["b", "none"]}},
        )

        self.assertEqual((400, "HTTPBadRequest"), (status, kind))
        for words in ("a: it is complete", "no: ", "none: ", "b: "):
            self.assertIn(words, text)
        self.assertEqual(before, self.operations(stack))
        self.assertEqual(
            "CREATE_FAILED", self.client.show(stack)["stack_status"]
        )


class IndependentBranchesTests(LeavingOutTestCase):
    """Independent branches are finished, and all failures told together."""

    def failed(self, stack: rest.Stack) -> list[object]:
        found = self.operations(stack)[0]["failures"]
        return [each["name"] for each in typing.cast(list[Json], found)]

    def test_create_and_retry(self) -> None:
        for name in ("x", "y"):
            self.fail("create", name, times=2)
        stack = self.client.create(
            self.name,
            template(
                a=declare_resource(),
                x=declare_resource(),
                y=declare_resource("a"),
                z=declare_resource("a"),
                never=declare_resource("y"),
            ),
            keep_going=True,
        )
        for _ in range(2):
            self.client.wait(stack, "CREATE_FAILED")
            self.assertEqual({"x", "y"}, set(self.failed(stack)))
            self.assertEqual(["a", "z"], self.names())
            self.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

    def test_update(self) -> None:
        stack = self.create(
            template(
                x=declare_resource(),
                y=declare_resource(),
                z=declare_resource("y"),
            )
        )
        self.fail("update", "x")
        wanted = {
            name: declare_resource(label="new") for name in ("x", "y", "z")
        }
        self.update(stack, template(**wanted), keep_going=True)
        self.client.wait(stack, "UPDATE_FAILED")

        self.assertEqual(["x"], self.failed(stack))
        self.assertEqual({"x": "", "y": "new", "z": "new"}, self.labels())

    def test_delete(self) -> None:
        stack = self.create(
            template(
                x=declare_resource(),
                y=declare_resource(),
                z=declare_resource("y"),
            )
        )
        self.fail("delete", "x")

        self.client.ask("DELETE", f"{stack.path}?keep_going=true")
        self.client.wait(stack, "DELETE_FAILED")

        self.assertEqual(["x"], self.names())
        self.retry(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

    def test_the_root_cause_comes_before_what_it_caused(self) -> None:
        stack = self.create(
            template(
                zone=declare_resource(),
                app=declare_resource("zone"),
                lamp=declare_resource(),
            )
        )
        self.world.order(self.name, "check", "zone", moment="before")
        for name in ("app", "zone"):
            self.fail("check", name)
        self.act(stack, check={"keep_going": True})
        self.wait_for_act("held-check-before", "zone")
        self.wait_for_event(stack, "app", "CHECK_FAILED")
        self.world.release(self.name)

        shown = self.client.wait(stack, "CHECK_FAILED")

        self.assertEqual(["zone", "app"], self.failed(stack))
        self.assertIn("resources.zone", str(shown["stack_status_reason"]))

    def wait_for_event(
        self, stack: rest.Stack, name: str, status: str
    ) -> None:
        while (name, status) not in [
            (each["resource_name"], each["resource_status"])
            for each in self.client.events(stack)
        ]:
            self.assertNotIn("FAILED", str(self.client.show(stack)))
