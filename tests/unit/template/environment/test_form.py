"""What is wrong with a ``resource_registry``."""

from orch.template import errors
from orch.template.environment import form
from tests import base


def faults(section):
    return list(form.registry_faults(section, ("r",)))


def special(**section):
    return {"resources": {"web": section}}


class FaultsTest(base.TestCase):
    def test_a_good_registry_has_none(self) -> None:
        self.assertEqual(
            [],
            faults(
                {
                    "base_url": "http://a",
                    "A": "B",
                    "OS::Net*": "OS::Neutron*",
                    "gone": None,
                    "resources": {
                        "none": None,
                        "*_server": {"hooks": "pre-create", "A": "B"},
                        "nest": {
                            "base_url": "http://b",
                            "kid": {
                                "hooks": ["post-update", "pre-delete"],
                                "restricted_actions": ["update", "replace"],
                            },
                        },
                    },
                }
            ),
        )
        self.assertEqual([], faults({"resources": None}))

    def test_what_does_no_harm_in_heat_is_taken(self) -> None:
        self.assertEqual(
            [],
            faults(
                {
                    "A": {"x": "y"},
                    "B": "",
                    "resources": {
                        "web": {"hooks": [], "hook": "pre-create"},
                        "db": "x",
                    },
                }
            ),
        )

    def test_each_hook_and_action_that_does_not_exist_is_told(self) -> None:
        found = faults(
            special(
                hooks=["pre-craete", "pre-create", "sometimes"],
                restricted_actions="eat",
            )
        )

        path = ("r", "resources", "web")
        self.assertEqual(
            [
                (errors.HookInvalid, (*path, "hooks", 0)),
                (errors.HookInvalid, (*path, "hooks", 2)),
                (
                    errors.RestrictedActionInvalid,
                    (*path, "restricted_actions"),
                ),
            ],
            [(one.kind, one.path) for one in found],
        )
        self.assertEqual("Did you mean pre-create?", found[0].advice)
        self.assertIn("post-delete", found[1].advice)
        self.assertEqual("They are: update, replace.", found[2].advice)

    def test_hooks_in_stacks_below_are_looked_at_too(self) -> None:
        (found,) = faults(special(kid={"deeper": {"hooks": "never"}}))

        self.assertEqual(
            ("r", "resources", "web", "kid", "deeper", "hooks"), found.path
        )

    def test_hooks_that_are_no_words_are_refused(self) -> None:
        for value in ({}, 5, True, [1], [["pre-create"]]):
            kinds = [one.kind for one in faults(special(hooks=value))]
            self.assertEqual([errors.HookInvalid], kinds)

    def test_types_map_to_names_alone(self) -> None:
        for section in (
            {"A": 5},
            {"A": ["B"]},
            {"A": True},
            {"resources": []},
            {"resources": "web"},
            {"resources": {"web": 5}},
            special(A=["B"]),
            special(hook=["pre-create"]),
        ):
            kinds = [one.kind for one in faults(section)]
            self.assertEqual([errors.EnvironmentInvalid], kinds, section)

    def test_a_key_that_is_nearly_right_is_named(self) -> None:
        for section, advice in (
            ({"resorces": ["web"]}, "resources"),
            (special(hook=["pre-create"]), "hooks"),
            (special(restricted_action=["update"]), "restricted_actions"),
        ):
            (found,) = faults(section)
            self.assertEqual(f"Did you mean {advice}?", found.advice)
