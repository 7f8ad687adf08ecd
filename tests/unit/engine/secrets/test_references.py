"""Whether what a template writes reads parameters."""

import typing

from orch.engine.secrets import references
from tests import base

_NAMES: typing.Final = frozenset({"key", "db"})


class MentioningTest(base.TestCase):
    def mentions(self, written: object) -> bool:
        return references.mentions(written, _NAMES, {"Mine::Lookup"})

    def test_functions_that_read_one(self) -> None:
        for written in (
            {"get_param": "key"},
            {"get_param": ["key", "a", 0]},
            {"Ref": "db"},
            [{"x": {"get_param": "db"}}],
            {"str_replace": {"template": "%", "params": {"%": {"Ref": "db"}}}},
            {"get_param": ["other", {"get_param": "key"}]},
        ):
            self.assertTrue(self.mentions(written), written)

    def test_letters_in_a_text_read_nothing(self) -> None:
        for written in (
            "keyboard on db9",
            "key",
            {"key": "db"},
            ["key", {"get_attr": ["key", "db"]}],
            {"get_param": "keys"},
            {"get_param": ["other", "key"]},
            {"get_resource": "db"},
            None,
            7,
        ):
            self.assertFalse(self.mentions(written), written)

    def test_one_that_has_to_be_worked_out_may_be_any(self) -> None:
        written = {"get_param": [{"get_attr": ["a", "name"]}]}

        self.assertTrue(self.mentions(written))
        self.assertFalse(references.mentions(written, frozenset()))

    def test_nobody_knows_what_foreign_functions_read(self) -> None:
        self.assertTrue(self.mentions({"Mine::Lookup": "in ${key}"}))
        self.assertTrue(self.mentions({"Mine::Lookup": {"of": ["key"]}}))
        self.assertFalse(self.mentions({"Mine::Lookup": "else"}))
        self.assertFalse(self.mentions({"Your::Lookup": "in ${key}"}))
