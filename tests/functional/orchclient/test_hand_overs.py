"""``orch stack hand-over`` and ``take-over``: two projects, one server."""

import typing

import orchclient
from orchclient import errors
from tests.functional import handing_over
from tests.functional.orchclient import commanding


class HandOverTests(commanding.CommandTestCase):
    """``orch …``, in either project.

    :ivar project: in which commands run
    """

    options: typing.ClassVar[handing_over.Json] = {
        "DEFAULT": handing_over.OPTIONS
    }
    project = handing_over.FROM

    @property
    def login(self) -> tuple[str, ...]:
        return (
            *("--os-auth-type", "none"),
            *("--os-endpoint", self.endpoint(self.project)),
        )

    def endpoint(self, project: str) -> str:
        base = self.system.endpoint.rpartition("/")[0]
        return f"{base}/{project}"

    def handed_over(self) -> str:
        """Return the id of a stack that is handed over by the command."""
        stack = self.create()
        ended = self.succeed(
            *("stack", "hand-over", self.name, "--to", handing_over.TO),
        )
        self.assertIn(handing_over.TO, ended.out)
        self.assertIn(f"stack take-over {stack.id}", ended.err)
        self.project = handing_over.TO
        return stack.id

    def test_a_stack_goes_to_another_project(self) -> None:
        stack_id = self.handed_over()

        listed = self.succeed("hand-over", "list", "-f", "json").document
        shown = self.succeed("stack", "take-over", stack_id, "--dry-run")
        taken = self.succeed("stack", "take-over", stack_id)

        self.assertEqual(
            [(stack_id, self.name, "incoming", "offered", 3)],
            [
                tuple(
                    each[key]
                    for key in (
                        *("ID", "Stack", "Direction", "State", "Resources"),
                    )
                )
                for each in listed
                if each["ID"] == stack_id
            ],
        )
        self.assertIn("adopt", shown.out)
        self.assertIn(self.name, taken.out)
        listed = self.succeed("hand-over", "list", "-f", "json").document
        (found,) = (each for each in listed if each["ID"] == stack_id)
        self.assertEqual("taken", found["State"])
        self.assertNotEqual("", found["Taken By"])

    def test_a_hand_over_is_repeated_by_name(self) -> None:
        stack_id = self.handed_over()
        self.project = handing_over.FROM

        again = self.succeed(
            *("stack", "hand-over", self.name, "--to", handing_over.TO)
        )
        by_id = self.succeed(
            *("stack", "hand-over", stack_id, "--to", handing_over.TO)
        )

        for ended in (again, by_id):
            self.assertIn(f"stack take-over {stack_id}", ended.err)
        unknown = self.run_command(
            *("stack", "hand-over", "none", "--to", handing_over.TO, "-y")
        )
        self.assertEqual(5, unknown.code, unknown)
        self.succeed("hand-over", "withdraw", stack_id)
        withdrawn = self.run_command(
            *("stack", "hand-over", self.name, "--to", handing_over.TO, "-y")
        )
        self.assertEqual(5, withdrawn.code, withdrawn)

    def test_of_several_with_a_name_the_id_is_asked_for(self) -> None:
        ids = []
        for _ in range(2):
            ids.append(self.handed_over())
            self.project = handing_over.FROM

        ended = self.run_command(
            *("stack", "hand-over", self.name, "--to", handing_over.TO, "-y")
        )

        self.assertEqual(2, ended.code, ended)
        for each in ids:
            self.assertIn(each, ended.err)

    def test_it_may_get_another_name_and_parameters(self) -> None:
        stack_id = self.handed_over()
        name = f"{self.name}-new"

        self.succeed(
            *("stack", "take-over", stack_id, name),
            *("--adopt-missing", "create"),
        )

        ended = self.succeed("stack", "show", name, "-f", "json")
        self.assertEqual(name, ended.document["name"])

    def test_what_is_withdrawn_is_refused(self) -> None:
        stack_id = self.handed_over()
        self.project = handing_over.FROM

        self.succeed("hand-over", "withdraw", stack_id)

        self.project = handing_over.TO
        unnamed = self.run_command("stack", "take-over", stack_id)
        named = self.run_command("stack", "take-over", stack_id, self.name)
        self.assertEqual(2, unnamed.code, unnamed)
        self.assertIn("hand-over list", unnamed.err)
        self.assertEqual(5, named.code, named)
        self.assertIn(stack_id, named.err)

    def test_it_asks_first(self) -> None:
        self.create()
        spawned = self.spawn(
            *("stack", "hand-over", self.name, "--to", handing_over.TO)
        )

        spawned.expect_exact("[y/N]")
        spawned.sendline("n")
        code, said = self.end(spawned)

        self.assertEqual(0, code)
        self.assertIn("Nothing was done", said)
        shown = self.orch.stacks.show(self.name)
        self.assertEqual("CREATE_COMPLETE", str(shown.status))

    def test_the_library_does_the_same(self) -> None:
        stack = self.create()
        theirs = orchclient.connect(endpoint=self.endpoint(handing_over.TO))
        self.addCleanup(theirs.close)

        offer = self.orch.hand_overs.offer(stack, handing_over.TO)
        self.wait(stack)
        (listed,) = (
            each for each in theirs.hand_overs.list() if each.id == stack.id
        )
        plan = theirs.hand_overs.preview(stack.id, self.name)
        taken = theirs.hand_overs.take_over(stack.id, self.name)
        theirs.waiters.wait(taken)

        self.assertEqual(handing_over.TO, offer.project)
        self.assertEqual(listed.expires_at, offer.expires_at)
        self.assertEqual("offered", listed.state)
        self.assertEqual(3, len(plan.changes))
        self.assertRaises(
            errors.ConflictError, self.orch.hand_overs.withdraw, stack.id
        )
