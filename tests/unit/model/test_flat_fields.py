from orch.model import flat_fields
from tests import base


def flat(value: object, **more: object) -> dict[str, list[object]]:
    found = flat_fields.FlatFields(**more)  # type: ignore[arg-type]
    found.add("p", value)
    return found.values  # type: ignore[return-value]


class FlatFieldsTest(base.TestCase):
    def test_keys_go_on_the_name(self) -> None:
        self.assertEqual(
            {"p.a.b": [1], "p.c": [True]}, flat({"a": {"b": 1}, "c": True})
        )

    def test_lists_are_several_values(self) -> None:
        self.assertEqual(
            {"p": ["x", 2], "p.port": ["a", "b"]},
            flat(["x", [2], {"port": "a"}, {"port": "b"}]),
        )

    def test_nothing_is_left_out(self) -> None:
        self.assertEqual({"p": [0, False]}, flat([None, "", [], {}, 0, False]))

    def test_long_values_are_cut(self) -> None:
        self.assertEqual({"p": ["x" * 1000]}, flat("x" * 5000))

    def test_words_of_long_values_are_kept(self) -> None:
        found = flat_fields.FlatFields(lambda text: "secret" in text)
        found.add("p", ["short", "x " * 1000, "y " * 1000])
        found.add("q", "secret " * 1000)

        self.assertEqual({"p": "x " * 1000 + "\n" + "y " * 1000}, found.texts)
        self.assertNotIn(flat_fields.CUT, found.values)

        found.add("r", "z" * 70_000)
        self.assertEqual(flat_fields.MAX_TEXT_LENGTH, len(found.texts["r"]))
        self.assertEqual([True], found.values[flat_fields.CUT])

    def test_what_is_hidden_is_left_out_whole(self) -> None:
        long = "x" * 2000 + "secret"

        found = flat(
            {"a": long, "secret": 1, "b": ["ok", "a secret"], "c": 42},
            is_hidden=lambda text: "secret" in text or text == "42",
        )

        self.assertEqual({"p.b": ["ok"]}, found)

    def test_what_is_called_a_secret_is_left_out(self) -> None:
        secrets = (
            "pass",
            "admin_pass",
            "adminPass",
            "db_Password",
            "private_key",
            "SecretAccessKey",
            "secret",
            "auth_token",
            "passphrase",
            "pass_phrase",
            "psk",
            "Authorization",
            "Set-Cookie",
            "X-Api-Key",
            "encryption_key",
        )
        plain = ("bypass", "secret_type", "key", "tokens", "key_name")

        found = flat(
            {
                "deep": [dict.fromkeys((*secrets, *plain), "v")],
                "secret": {"a": "v"},
            }
        )

        self.assertEqual({f"p.deep.{each}" for each in plain}, set(found))

    def test_numbers_that_nobody_can_store_are_texts(self) -> None:
        self.assertEqual(
            {"p": [str(2**70), "nan", 2.5]},
            flat([2**70, float("nan"), 2.5]),
        )

    def test_texts_that_no_database_takes_are_mended(self) -> None:
        self.assertEqual(
            {"p.\ufffd": ["a\ufffdb\ufffd"]}, flat({"\x00": "a\x00b\ud800"})
        )

    def test_there_is_an_end_to_it(self) -> None:
        many = flat([str(number) for number in range(10_000)])
        large = flat(["x" * 1000] * 1500)
        deep: object = 1
        for _ in range(100):
            deep = {"a": deep}

        self.assertEqual(flat_fields.MAX_VALUES, len(many["p"]))
        self.assertEqual(flat_fields.MAX_TOTAL_LENGTH // 1000, len(large["p"]))
        for found in (many, large, flat(deep)):
            self.assertEqual([True], found[flat_fields.CUT])
