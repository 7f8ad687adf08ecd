from orch.db import encryption
from orch.engine import credentials
from tests import base


class CipherTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.keys = [credentials.new_key(), credentials.new_key()]

    def test_a_text_comes_back_as_it_was(self) -> None:
        cipher = encryption.Cipher(self.keys, seals=True)

        for text in ('{"a":"é"}', "lone \ud800", " [1]"):
            stored = cipher.seal(text)
            self.assertTrue(stored.startswith(encryption.PREFIX))
            self.assertNotIn(text, stored)
            self.assertEqual(text, cipher.open(stored))

    def test_bytes_come_back_as_they_were(self) -> None:
        cipher = encryption.Cipher(self.keys, seals=True)

        stored = cipher.seal_bytes(b"\x78\x9c secret")

        self.assertNotIn(b"secret", stored)
        self.assertEqual(b"\x78\x9c secret", cipher.open_bytes(stored))

    def test_the_same_text_stands_in_another_way_each_time(self) -> None:
        cipher = encryption.Cipher(self.keys, seals=True)

        self.assertNotEqual(cipher.seal("[1]"), cipher.seal("[1]"))

    def test_that_nothing_is_there_is_no_secret(self) -> None:
        cipher = encryption.Cipher(self.keys, seals=True)

        for text in ("{}", "[]", "null"):
            self.assertEqual(text, cipher.seal(text))
            self.assertTrue(cipher.is_current(text))

    def test_without_the_option_nothing_is_sealed(self) -> None:
        cipher = encryption.Cipher(self.keys)

        self.assertEqual("[1]", cipher.seal("[1]"))
        self.assertEqual(b"1", cipher.seal_bytes(b"1"))
        self.assertTrue(cipher.is_current("[1]"))

    def test_only_what_the_first_key_has_sealed_is_current(self) -> None:
        first = encryption.Cipher(self.keys[:1], seals=True)
        second = encryption.Cipher(self.keys[1:], seals=True)
        both = encryption.Cipher(self.keys, seals=True)

        for seal in (encryption.Cipher.seal, _seal_bytes):
            self.assertTrue(both.is_current(seal(first, "[1]")))
            self.assertFalse(both.is_current(seal(second, "[1]")))
        self.assertFalse(both.is_current("[1]"))
        self.assertFalse(
            encryption.Cipher(self.keys).is_current(first.seal("[1]"))
        )

    def test_a_changed_letter_makes_it_unreadable(self) -> None:
        cipher = encryption.Cipher(self.keys, seals=True)
        stored = cipher.seal("[1]")
        middle = len(stored) // 2
        other = "A" if stored[middle] != "A" else "B"
        changed = stored[:middle] + other + stored[middle + 1 :]

        self.assertRaises(encryption.Unreadable, cipher.open, changed)

    def test_without_a_key_it_says_which_option_to_set(self) -> None:
        error = self.assertRaises(
            encryption.BadKey, encryption.Cipher, [], seals=True
        )

        self.assertIn("encryption_keys", error.message)
        self.assertIn("orch-manage", error.message)

    def test_a_bad_key_is_named_by_its_number_only(self) -> None:
        bad = self.keys[0][:-4]

        error = self.assertRaises(
            encryption.BadKey, encryption.Cipher, [self.keys[1], bad]
        )

        self.assertIn("Key 2", error.message)
        self.assertNotIn(bad, error.message)


def _seal_bytes(cipher: encryption.Cipher, text: str) -> bytes:
    return cipher.seal_bytes(text.encode())
