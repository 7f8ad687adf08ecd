"""Documents whose secrets only the receiving installation can read."""

import json
import pathlib
import typing

import fixtures
import requests

from orch.engine.adoption import sealing
from tests.functional import adopting
from tests.functional import test_clients
from tests.support import installations
from tests.support import rest
from tests.support import running
from tests.support import systems

Json = adopting.Json

_SECRET = "s3cret-word"


def hidden_template() -> Json:
    """Return a template with a hidden parameter and data of its own."""
    return {
        "heat_template_version": "2021-04-16",
        "parameters": {"word": {"type": "string", "hidden": True}},
        "resources": {
            "random": {"type": "OS::Heat::RandomString"},
            "value": {
                "type": "OS::Heat::Value",
                "metadata": {"of": {"get_param": "word"}},
                "properties": {"value": {"get_param": "word"}},
            },
        },
        "outputs": {
            "random": {"value": {"get_attr": ["random", "value"]}},
            "word": {"value": {"get_attr": ["value", "value"]}},
        },
    }


def nested() -> tuple[Json, dict[str, str]]:
    """Return a template with the former as a type, and its files."""
    return (
        {
            "heat_template_version": "2021-04-16",
            "parameters": {"word": {"type": "string", "hidden": True}},
            "resources": {
                "inner": {
                    "type": "inner.yaml",
                    "properties": {"word": {"get_param": "word"}},
                }
            },
            "outputs": {
                "word": {"value": {"get_attr": ["inner", "word"]}},
                "random": {"value": {"get_attr": ["inner", "random"]}},
            },
        },
        {"inner.yaml": json.dumps(hidden_template())},
    )


def public_key(system: systems.System) -> str:
    """Return the public key that an ``orch-all`` has made."""
    place = pathlib.Path(system.directory) / "state" / "adoption.key"
    return sealing.public_key(place.read_text())


class SealedTests(adopting.AdoptingTestCase):
    def sealed(self, stack: rest.Stack, way: str = "export") -> Json:
        """Return the document, sealed for the other installation."""
        method = "GET" if way == "export" else "DELETE"
        path = f"{stack.path}/{way}?receiver={public_key(self.pair.there)}"
        return self.ask(self.here, method, path)

    def test_a_g9_a_sealed_document_moves_a_stack(self) -> None:
        stack = self.created(hidden_template(), parameters={"word": _SECRET})
        outputs = self.here.outputs(stack)

        document = self.sealed(stack, "abandon")
        adopted = self.adopt(json.dumps(document))

        self.assertNotIn(_SECRET, json.dumps(document))
        self.assertNotIn(str(outputs["random"]), json.dumps(document))
        self.assertEqual(_SECRET, outputs["word"])
        self.assertEqual(outputs, self.there.outputs(adopted))

    def test_a_g9_secrets_of_inner_stacks_are_sealed_too(self) -> None:
        wanted, files = nested()
        stack = self.created(wanted, files=files, parameters={"word": _SECRET})
        outputs = self.here.outputs(stack)

        document = self.sealed(stack, "abandon")
        adopted = self.adopt(document)

        self.assertNotIn(_SECRET, json.dumps(document))
        self.assertNotIn(str(outputs["random"]), json.dumps(document))
        self.assertEqual(outputs, self.there.outputs(adopted))

    def test_a_g9_a_tampered_document_is_one_clear_error(self) -> None:
        stack = self.created(hidden_template(), parameters={"word": _SECRET})
        document = self.sealed(stack)
        document["tags"] = ["mine"]

        error = self.assertRaises(
            rest.RefusedError, self.begin_adopt, document
        )

        self.assertEqual(400, error.status)
        self.assertIn("altered after it was sealed", str(error.body))

    def test_a_g9_a_seal_that_was_torn_off_is_an_error(self) -> None:
        stack = self.created(hidden_template(), parameters={"word": _SECRET})
        document = self.sealed(stack)
        del document["seal"]

        status, _ = self.refused(self.begin_adopt, document)

        self.assertEqual(400, status)

    def test_a_g9_another_installation_cannot_adopt_it(self) -> None:
        stack = self.created(hidden_template(), parameters={"word": _SECRET})
        document = self.sealed(stack)

        error = self.assertRaises(
            rest.RefusedError, self.begin_adopt, document, self.here
        )

        self.assertEqual(400, error.status)
        self.assertIn(public_key(self.pair.there), str(error.body))

    def test_a_g9_for_a_wrong_key_nothing_is_let_go_of(self) -> None:
        stack = self.created(hidden_template(), parameters={"word": _SECRET})

        for path in ("abandon", "export"):
            method = "GET" if path == "export" else "DELETE"
            status, _ = self.refused(
                self.here.ask, method, f"{stack.path}/{path}?receiver=wrong"
            )
            self.assertEqual(400, status)

        self.assertEqual(
            "CREATE_COMPLETE", self.here.show(stack)["stack_status"]
        )

    def test_a_g9_both_steps_and_the_kept_document_are_sealed(self) -> None:
        stack = self.created(hidden_template(), parameters={"word": _SECRET})
        path = f"{stack.path}/abandon?secrets=sealed"

        prepared = self.ask(self.here, "POST", path, {"prepare": None})
        facts = typing.cast(Json, prepared["abandonment"])
        commit = {"commit": facts["token"]}
        committed = self.ask(self.here, "POST", path, commit)
        self.wait_gone(stack)
        kept = self.ask(self.here, "GET", path)

        for each in (prepared, committed, kept):
            self.assertNotIn(_SECRET, json.dumps(each))
        adopted = self.begin_adopt(kept, self.here)
        self.here.wait(adopted, "ADOPT_COMPLETE")
        self.assertEqual(_SECRET, self.here.outputs(adopted)["word"])


class RightTests(adopting.AdoptingTestCase):
    """Secrets in clear text are for those who may see them."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.rules = fixtures.TempDir()
        cls.use(cls.rules)
        rules = pathlib.Path(cls.rules.path) / "policy.yaml"
        rules.write_text('"stacks:plain_secrets": "role:admin"\n')
        cls.system = cls.use(
            running.Embedded(
                {
                    **installations.OPTIONS,
                    "oslo_policy": {"policy_file": str(rules)},
                    "adoption": {
                        "recipient_public_key": public_key(cls.pair.there)
                    },
                },
                cls.world.environment,
            )
        ).system
        cls.here = cls.system.client

    def get(
        self, stack: rest.Stack, asked: str, roles: str
    ) -> tuple[int, str]:
        answer = requests.get(
            f"{self.here.endpoint}{stack.path}/export{asked}",
            headers={"X-Roles": roles},
            timeout=30,
        )
        return answer.status_code, answer.text

    def test_a_g9_without_the_right_they_are_sealed(self) -> None:
        stack = self.created(hidden_template(), parameters={"word": _SECRET})

        status, text = self.get(stack, "", "member")
        refused, said = self.get(stack, "?secrets=plain", "member")
        adopted = self.adopt(text)

        self.assertEqual((200, 403), (status, refused))
        self.assertNotIn(_SECRET, text + said)
        self.assertEqual(_SECRET, self.there.outputs(adopted)["word"])

    def test_a_g9_with_the_right_they_are_plain(self) -> None:
        stack = self.created(hidden_template(), parameters={"word": _SECRET})

        for asked in ("", "?secrets=plain"):
            status, text = self.get(stack, asked, "admin")
            self.assertEqual(200, status)
            self.assertIn(_SECRET, text)
        _, text = self.get(stack, "?secrets=sealed", "admin")
        self.assertNotIn(_SECRET, text)


class OptionTests(adopting.AdoptingTestCase):
    """Sealed unless clear text is asked for, and nobody's client is new."""

    limit_s = 240

    def test_a_g9_the_command_moves_a_sealed_stack(self) -> None:
        system = self.useFixture(
            running.Embedded(
                {
                    **installations.OPTIONS,
                    "adoption": {
                        "secrets": "sealed",
                        "recipient_public_key": public_key(self.pair.there),
                    },
                },
                self.world.environment,
            )
        ).system
        stack = system.client.create(
            self.name, hidden_template(), parameters={"word": _SECRET}
        )
        system.client.wait(stack, "CREATE_COMPLETE")
        directory = self.make_directory()
        file = directory / "abandoned.json"
        plain = self.ask(
            system.client, "GET", f"{stack.path}/export?secrets=plain"
        )

        test_clients.run_command(
            system.endpoint,
            directory,
            *("stack", "abandon", "--output-file", str(file), self.name),
        )
        test_clients.run_command(
            self.pair.there.endpoint,
            directory,
            *("stack", "adopt", "--adopt-file", str(file), "--wait"),
            self.name,
        )

        self.assertIn(_SECRET, json.dumps(plain))
        self.assertNotIn(_SECRET, file.read_text())
        shown = typing.cast(
            Json, self.there.get(f"/stacks/{self.name}", "stack")
        )
        adopted = rest.Stack(self.name, str(shown["id"]))
        self.assertEqual(_SECRET, self.there.outputs(adopted)["word"])
