"""Unknown outcomes of creations are answered by commands and the library."""

import json
import typing

from tests.functional import unknown
from tests.functional.orchclient import commanding
from tests.support import serving

_ROOT: typing.Final = """
heat_template_version: 2021-04-16
resources:
  front: {type: child.yaml}
"""


class OrchTests(commanding.CommandTestCase):
    """``orch …``."""

    options: typing.ClassVar = serving.options(retry_first_pause=0.05)

    def setUp(self) -> None:
        super().setUp()
        self.service = self.useFixture(unknown.DroppingService())
        self.service.drops = 1

    def lose(self) -> commanding.Ended:
        """Create a stack; the answer to a creation in its child is lost."""
        create = {"path": "/things", "body": {"tag": "{token}"}}
        declared = {
            "type": "Orch::HTTP::Resource",
            "properties": {"url": self.service.url, "create": create},
        }
        child = {
            "heat_template_version": "2021-04-16",
            "resources": {"b": declared},
        }
        self.write("child.yaml", json.dumps(child))
        return self.run_command(
            "up", self.template(_ROOT), "--name", self.name
        )

    def test_the_failure_names_the_command_and_it_helps(self) -> None:
        failed = self.lose()
        command = f"resource outcome {self.name} front/b --is "
        self.assertEqual(1, len(self.service.items))
        self.assertIn(f"{self.form} {command}", failed.err + failed.out)

        made = self.service.id_of(1)
        told = self.succeed(*command.split(), made)
        self.succeed("retry", self.name)

        self.assertIn(f"it is {made}", told.out)
        self.assertEqual([made], list(self.service.items))

    def test_what_was_not_made_is_made_once(self) -> None:
        self.service.makes = False
        self.lose()

        told = self.succeed(
            *("stack", "resource", "outcome"),
            *(self.name, "front/b", "--not-made"),
        )
        self.succeed("retry", self.name)

        self.assertIn("it was not made", told.out)
        self.assertEqual(1, len(self.service.items))

    def test_it_takes_one_answer(self) -> None:
        for words in ((), ("--is", "1", "--not-made")):
            ended = self.run_command(
                *("resource", "outcome", self.name, "front/b", *words)
            )
            self.assertEqual(2, ended.code, ended)

    def test_the_library_answers(self) -> None:
        self.lose()
        child = self.orch.resources.show(self.name, "front").nested
        assert child is not None

        told = self.orch.resources.answer_outcome(
            child, "b", self.service.id_of(1)
        )

        self.assertEqual(self.service.id_of(1), told.physical_id)
        self.orch.stacks.delete(self.name)


class OpenStackTests(OrchTests):
    """``openstack orch …``."""

    form = "openstack orch"
