"""Announcements and their seals."""

import json

from orch.context import announcements
from tests import base

_SECRETS = ("a" * 32, "b" * 32)


class AnnouncementsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.key = announcements.announcement_key(_SECRETS[1], "s")
        self.sealed = announcements.seal_announcement(
            self.key, {"version": 1, "addresses": [{"path": ["ü"]}]}
        )

    def is_genuine(self, document: dict[str, object], of: str = "s") -> bool:
        return announcements.is_genuine(_SECRETS, of, document)

    def test_each_key_of_the_installation_knows_its_own(self) -> None:
        self.assertTrue(self.is_genuine(self.sealed))
        self.assertFalse(
            announcements.is_genuine(_SECRETS[:1], "s", self.sealed)
        )

    def test_the_form_of_the_json_does_not_matter(self) -> None:
        turned = dict(reversed(self.sealed.items()))

        self.assertTrue(self.is_genuine(json.loads(json.dumps(turned))))

    def test_what_was_altered_or_is_of_another_stack_is_not(self) -> None:
        for wrong in (
            {**self.sealed, "version": 2},
            {**self.sealed, "more": None},
            {**self.sealed, "seal": 7},
            {**self.sealed, "seal": "ü"},
            {"version": 1},
            {},
        ):
            self.assertFalse(self.is_genuine(wrong), wrong)
        self.assertFalse(self.is_genuine(self.sealed, of="other"))

    def test_without_a_key_nothing_is_genuine(self) -> None:
        self.assertFalse(announcements.is_genuine((), "s", self.sealed))
