"""What is redacted by marks, by names and by texts."""

from orch.engine.secrets import redaction
from orch.model import marked
from orch.model import observation
from orch.template import world
from tests import base
from tests.unit.model import test_presigned

_SECRET = "canary-5d1e9b"


class RedactionTest(base.TestCase):
    def test_values_by_their_marks(self) -> None:
        values = marked.Marked(
            {"user": {"name": "a", "word": "bcd"}, "rest": [1, 2], "all": 5},
            [("user", "word"), ("rest", 1), ("all",)],
        )

        self.assertEqual(
            {
                "user": {"name": "a", "word": "******"},
                "rest": [1, "******"],
                "all": "******",
            },
            redaction.Redaction().values(values),
        )

    def test_another_value_by_the_same_marks(self) -> None:
        values = marked.Marked({"a": {"b": 1, "c": 2}}, [("a", "b")])
        redacts = redaction.Redaction()

        self.assertEqual(
            {"b": "******", "c": 7},
            redacts.part(values, "a", {"b": 6, "c": 7}),
        )
        self.assertEqual(
            (
                observation.Difference(
                    property="a", expected={"b": "******"}, live="******"
                ),
            ),
            redacts.differences(
                values,
                [
                    observation.Difference(
                        property="a", expected={"b": 1}, live="other"
                    )
                ],
            ),
        )

    def test_names_of_secrets(self) -> None:
        values = {"admin_pass": "x", "deep": [{"api_key": 1, "token": None}]}

        self.assertEqual(
            {
                "admin_pass": "******",
                "deep": [{"api_key": "******", "token": None}],
            },
            redaction.Redaction().values(values),
        )
        self.assertEqual(
            values, redaction.Redaction(is_plain=True).values(values)
        )

    def test_texts_in_values_and_keys(self) -> None:
        redacts = redaction.Redaction([_SECRET, "5"])

        self.assertEqual(
            {"******": ["******", 15, "******", True, None]},
            redacts.value({_SECRET: [f"is {_SECRET}", 15, 5, True, None]}),
        )
        self.assertEqual("is ****** 5", redacts.text(f"is {_SECRET} 5"))
        self.assertEqual("******", redacts.physical_id(f"web-{_SECRET}"))
        self.assertEqual("web", redacts.physical_id("web"))

    def test_addresses_that_are_proof_by_themselves(self) -> None:
        value = f"curl {test_presigned.OURS}"

        self.assertEqual("curl ******", redaction.Redaction().value(value))
        self.assertEqual("curl ******", redaction.Redaction().text(value))
        self.assertEqual(
            [value, value],
            [
                redaction.Redaction(is_plain=True).value(value),
                redaction.Redaction(is_plain=True).text(value),
            ],
        )
        self.assertEqual(
            "******", redaction.Redaction().physical_id(test_presigned.OURS)
        )

    def test_what_is_not_known_yet(self) -> None:
        values = {"a": world.UNKNOWN, "b": [world.UNKNOWN]}

        self.assertEqual(
            {"a": {"known_later": True}, "b": [{"known_later": True}]},
            redaction.Redaction().values(values),
        )

    def test_everything_where_nothing_is_known(self) -> None:
        self.assertEqual(
            {"a": "******", "b": None},
            redaction.BLIND.values({"a": 1, "b": None}),
        )
        self.assertEqual("******", redaction.BLIND.physical_id("a"))
        self.assertEqual("******", redaction.BLIND.text("a"))
        self.assertEqual("", redaction.BLIND.text(""))
        self.assertTrue(redaction.BLIND.has("a"))

    def test_more_texts(self) -> None:
        found = redaction.Redaction(["first"], parameters=["p"], is_plain=True)
        more = found.extended(["second"])

        self.assertEqual("****** ******", more.text("first second"))
        self.assertEqual("second", found.text("second"))
        self.assertEqual({"p"}, more.parameters)
        self.assertEqual("x", more.part({}, "admin_pass", "x"))
