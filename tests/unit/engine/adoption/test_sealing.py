"""Sealing documents and opening them again."""

import copy
import typing
import unittest.mock

from orch.engine.adoption import hybrid_encryption
from orch.engine.adoption import sealing
from tests import base

Json = dict[str, typing.Any]


def document() -> Json:
    return {
        "name": "web",
        "template": {"heat_template_version": "2021-04-16"},
        "environment": {
            "parameters": {"word": "s3cret"},
            "parameter_defaults": {"other": "s3cret"},
            "resource_registry": {},
        },
        "resources": {
            "a": {
                "resource_id": "id-a",
                "metadata": {},
                "resource_data": {"key": "s3cret"},
            },
            "b.c": {
                "environment": {"parameters": {"inner": "s3cret"}},
                "metadata": {"of": "s3cret"},
                "resources": {"0": {"resource_data": {"key": "s3cret"}}},
            },
        },
        "leftovers": [{"name": "old", "resource_data": {"key": "s3cret"}}],
    }


class SealingTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.key = sealing.new_key()
        self.public = sealing.public_key(self.key)
        self.sealed: Json = sealing.seal_document(document(), self.public)

    def test_a_g9_only_the_key_opens_it(self) -> None:
        self.assertNotIn("s3cret", str(self.sealed))
        self.assertEqual(
            document(), sealing.open_document(self.sealed, [self.key])
        )

    def test_a_g9_an_older_key_opens_it_too(self) -> None:
        keys = [sealing.new_key(), self.key]

        self.assertEqual(document(), sealing.open_document(self.sealed, keys))

    def test_a_g9_what_is_no_secret_stays_readable(self) -> None:
        self.assertEqual("id-a", self.sealed["resources"]["a"]["resource_id"])
        self.assertEqual({}, self.sealed["resources"]["a"]["metadata"])
        self.assertEqual(
            {
                "parameters": sealing.SEALED_TEXT,
                "parameter_defaults": sealing.SEALED_TEXT,
                "resource_registry": {},
            },
            self.sealed["environment"],
        )

    def test_a_g9_the_order_of_keys_does_not_count(self) -> None:
        turned = dict(reversed(self.sealed.items()))

        self.assertEqual(document(), sealing.open_document(turned, [self.key]))

    def test_a_g9_without_a_seal_it_is_as_it_was(self) -> None:
        self.assertEqual(document(), sealing.open_document(document(), []))

    def test_a_g9_two_seals_of_one_document_differ(self) -> None:
        again: Json = sealing.seal_document(document(), self.public)

        self.assertNotEqual(
            self.sealed["seal"]["secrets"], again["seal"]["secrets"]
        )

    def test_a_g9_whatever_was_altered_breaks_it(self) -> None:
        def other_id(found: Json) -> None:
            found["resources"]["a"]["resource_id"] = "id-b"

        def more(found: Json) -> None:
            found["tags"] = ["x"]

        def less(found: Json) -> None:
            del found["leftovers"]

        def uncovered(found: Json) -> None:
            found["environment"]["parameters"] = {"word": "mine"}

        def secrets(found: Json) -> None:
            text = found["seal"]["secrets"]
            first = "B" if text[0] == "A" else "A"
            found["seal"]["secrets"] = first + text[1:]

        def no_secrets(found: Json) -> None:
            del found["seal"]["secrets"]

        def no_text(found: Json) -> None:
            found["seal"]["secrets"] = "é"

        def sender(found: Json) -> None:
            found["seal"]["sender"] = self.public

        def no_sender(found: Json) -> None:
            found["seal"]["sender"] = "A" * 43

        for alter in (
            other_id,
            more,
            less,
            uncovered,
            secrets,
            no_secrets,
            no_text,
            sender,
            no_sender,
        ):
            altered = copy.deepcopy(self.sealed)
            alter(altered)
            error = self.assertRaises(
                sealing.BrokenSeal, sealing.open_document, altered, [self.key]
            )
            self.assertIn("was altered", error.message, alter.__name__)

    def test_a_g9_for_another_key_it_stays_closed(self) -> None:
        error = self.assertRaises(
            sealing.BrokenSeal,
            sealing.open_document,
            self.sealed,
            [sealing.new_key()],
        )

        self.assertIn(self.public, error.message)

    def test_a_g9_another_version_is_refused(self) -> None:
        for seal in ({**self.sealed["seal"], "version": 2}, None, "text"):
            error = self.assertRaises(
                sealing.BrokenSeal,
                sealing.open_document,
                {**self.sealed, "seal": seal},
                [self.key],
            )
            self.assertIn("version 1", error.message)

    def test_a_g9_a_seal_of_anything_else_is_refused(self) -> None:
        """All who have the public key can write one."""
        for opened in (
            *("5", "{", "[1]", '[["name", 1]]', '[[["name", "x"], 1]]'),
            *('[[["resources", "none", "x"], 1]]', "[" * 2000),
        ):
            with unittest.mock.patch.object(
                hybrid_encryption, "decrypt", return_value=opened.encode()
            ):
                self.assertRaises(
                    sealing.BrokenSeal,
                    sealing.open_document,
                    self.sealed,
                    [self.key],
                )

    def test_a_g9_what_is_no_key_is_refused(self) -> None:
        for text in ("", "short", "é" * 43, self.public + "AAAA", "A" * 43):
            self.assertRaises(sealing.BadKey, sealing.check_recipient, text)

    def test_a_g9_a_wrong_private_key_is_not_told(self) -> None:
        for text in ("s3cret", "s3cret é"):
            error = self.assertRaises(sealing.BadKey, sealing.public_key, text)
            self.assertNotIn("s3cret", error.message)
