"""What shells complete, and which commands there are."""

import importlib.metadata
import io

from orchclient import completion
from tests import base

_DATA = [("stack", "create list"), ("stack_create", "-h --retry")]


class ScriptTests(base.TestCase):
    def written(self, kind: type[completion.Zsh | completion.Fish]) -> str:
        out = io.StringIO()
        kind("my-orch", out).write("stack up", _DATA)
        return out.getvalue()

    def test_zsh_has_a_table(self) -> None:
        found = self.written(completion.Zsh)

        self.assertIn(
            "    ':' 'stack up'\n    ':stack' 'create list'\n", found
        )
        self.assertIn("':stack_create' '-h --retry'", found)
        self.assertTrue(found.endswith("compdef _my_orch my-orch\n"), found)
        self.assertIn("found=(${=table[$key]})", found)

    def test_a_command_may_be_the_beginning_of_others(self) -> None:
        out = io.StringIO()
        data = [("drift", "-h accept"), ("drift_accept", "-h")]

        completion.Zsh("orch", out).write("drift drift_accept up", data)

        self.assertIn("    ':' 'drift up'\n    ':drift' '-h", out.getvalue())

    def test_fish_has_a_case_for_each_command(self) -> None:
        found = self.written(completion.Fish)

        self.assertIn("case ':stack'\n            echo 'create list'", found)
        self.assertIn("complete -c my-orch -f", found)


class CommandTests(base.TestCase):
    def names(self, group: str, prefix: str) -> set[str]:
        found = importlib.metadata.entry_points(group=group)
        return {each.name.removeprefix(prefix) for each in found}

    def test_nothing_of_the_client_of_heat_is_missing(self) -> None:
        heat = self.names("openstack.orchestration.v1", "orchestration_")
        ours = self.names("openstack.orch.v1", "orch_")

        self.assertIn("software_deployment_create", heat)
        self.assertEqual(set(), heat - ours)
