"""``stack push``: a stack goes to another installation with all it has."""

import typing

import fixtures
import requests

from tests.functional import test_adopt_sealed
from tests.functional.orchclient import pushing
from tests.support import installations
from tests.support import rest
from tests.support import systems
from tests.support import waiting

_SECRET = "s3cret-word"


class PushTests(pushing.PushTestCase):
    def reasons(self, stack: rest.Stack) -> list[str]:
        return [
            str(each["resource_status_reason"])
            for each in self.there.events(stack)
            if each["resource_name"] == "handle"
        ]

    def test_a_tree_is_at_the_target_and_an_update_calls_nothing(self) -> None:
        wanted, files = pushing.tree()
        stack = self.created(wanted, files=files)
        before = self.mark()
        existing = self.existing_names()

        self.pushed()

        adopted = self.found()
        self.assertEqual([], self.listed(self.here))
        self.assertEqual(existing, self.existing_names())
        self.assertEqual(
            "ADOPT_COMPLETE", self.there.show(adopted)["stack_status"]
        )
        self.there.ask(
            "PUT", adopted.path, {"template": wanted, "files": files}
        )
        self.there.wait(adopted, "UPDATE_COMPLETE")
        self.assertEqual([], self.writes(before))
        addresses = self.old_addresses(stack)
        self.assertEqual(["handle"], [each["resource"] for each in addresses])

    def test_a_signal_to_the_old_address_is_forwarded(self) -> None:
        stack = self.created(pushing.handled())
        url = str(self.here.outputs(stack)["url"])

        self.pushed()

        answer = requests.post(
            url, json={"id": "1", "reason": "late"}, timeout=10
        )
        self.assertEqual(202, answer.status_code)
        adopted = self.found()
        waiting.wait_for(
            lambda: any("late" in each for each in self.reasons(adopted)),
            "the forwarded signal",
        )

    def test_a_second_push_changes_nothing(self) -> None:
        stack = self.created(pushing.handled())
        self.pushed()
        adopted, before = self.found(), self.mark()

        by_name = self.pushed()
        self.pushed("--yes")

        self.assertEqual(adopted, self.found())
        self.assertNotIn("check:", by_name.out)
        self.assertEqual([], self.writes(before))
        self.assertEqual(1, len(self.old_addresses(stack)))

    def test_what_was_pushed_is_not_handed_over_too(self) -> None:
        stack = self.created(pushing.handled())
        self.pushed()

        refused = self.assertRaises(
            rest.RefusedError,
            self.here.ask,
            "POST",
            f"{stack.path}/abandon",
            {"hand_over": {"project": "elsewhere"}},
        )

        self.assertEqual(409, refused.status, refused.message)
        self.assertIn("hand it over there", refused.message)

    def test_the_stack_gets_another_name(self) -> None:
        self.created(pushing.handled())
        other = f"{self.name}-there"

        self.pushed("--name", other)
        self.pushed("--name", other)

        self.found(name=other)
        self.assertEqual([], self.listed(self.there))

    def test_what_stays_of_a_stack_without_addresses_is_known(self) -> None:
        self.created(self.chain())
        self.pushed()
        adopted = self.found()

        again = self.pushed()

        self.assertNotIn("check:", again.out)
        self.assertEqual(adopted, self.found())

    def test_secrets_are_not_in_the_output(self) -> None:
        for words in (
            (),
            (f"--receiver={test_adopt_sealed.public_key(self.pair.there)}",),
        ):
            with self.subTest(words=words):
                self.name += "x"
                stack = self.created(
                    test_adopt_sealed.hidden_template(),
                    parameters={"word": _SECRET},
                )
                outputs = self.here.outputs(stack)

                ended = self.pushed(*words)

                self.assertNotIn(_SECRET, ended.out + ended.err)
                self.assertNotIn(str(outputs["random"]), ended.out + ended.err)
                self.assertEqual(outputs, self.there.outputs(self.found()))

    def test_who_is_not_the_target_reads_no_sealed_document(self) -> None:
        stack = self.created(pushing.handled())
        shown = self.here.show(stack)
        own_key = test_adopt_sealed.public_key(self.pair.here)

        ended = self.push(f"--receiver={own_key}")

        self.assertEqual(7, ended.code, ended)
        self.assertIn(self.pair.there.endpoint, ended.err)
        self.assertIn("Nothing has changed at the source.", ended.err)
        self.assert_unchanged(stack, shown)

    def test_one_that_does_not_exist_is_not_found(self) -> None:
        ended = self.push()

        self.assertEqual(5, ended.code)
        self.assertIn(f"There is no stack {self.name}", ended.err)

    def test_a_deleted_stack_was_not_abandoned(self) -> None:
        stack = self.created(self.chain())
        self.here.delete(stack)
        self.wait_gone(stack)

        by_name = self.push()
        self.name, name = stack.id, self.name
        by_id = self.push()

        self.assertEqual((5, 5), (by_name.code, by_id.code))
        self.assertEqual([], self.listed(self.there, name))

    def test_the_target_must_be_given(self) -> None:
        ended = self.run_words([*self.login(), "stack", "push", "s"])

        self.assertEqual(2, ended.code)
        self.assertIn("The target is missing", ended.err)

    def test_a_terminal_is_asked_with_the_plan(self) -> None:
        stack = self.created(self.chain())
        shown = self.here.show(stack)

        refused = self.push(answer="n\n")
        self.assert_unchanged(stack, shown)
        agreed = self.push(answer="y\n")

        self.assertEqual((0, 0), (refused.code, agreed.code))
        self.assertIn("+ adopt a (Test::World::Thing)", refused.out)
        self.assertIn(f"Abandon {self.name}", refused.err)
        self.assertIn("Nothing was done.", refused.err)
        self.found()

    def test_ctrl_c_says_how_to_continue(self) -> None:
        with fixtures.MonkeyPatch("orchclient.push.push", _interrupted):
            ended = self.push("--receiver=-k")

        self.assertEqual(130, ended.code)
        self.assertIn(
            f"To continue: orch stack push {self.name}"
            f" --to-endpoint={self.pair.there.endpoint} --receiver=-k",
            ended.err,
        )


def _interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


class NotForwardedTests(pushing.PushTestCase):
    """The operator of the source forwards to other hosts only."""

    options: typing.ClassVar[systems.Options] = {
        **installations.OPTIONS,
        "adoption": {"forward_hosts": "*.example.net"},
    }

    def test_that_is_a_warning_with_the_command_for_later(self) -> None:
        stack = self.created(pushing.handled())

        ended = self.pushed("--name", f"{self.name}-2")

        self.found(name=f"{self.name}-2")
        self.assertIn("[adoption] forward_hosts", ended.err)
        self.assertIn(
            f"orch stack push {self.name}"
            f" --to-endpoint={self.pair.there.endpoint} --name={self.name}-2",
            ended.err,
        )
        (address,) = self.old_addresses(stack)
        self.assertIsNone(address["new_address"])

    def test_who_has_no_addresses_gets_no_warning(self) -> None:
        self.created(self.chain())

        ended = self.pushed()

        self.assertEqual("", ended.err)
