"""Text into plain values, safely."""

import yaml

from orch.template import errors
from orch.template import inputs
from orch.template.text import yaml_reader
from tests import base

LIMITS = inputs.Limits()


def read(text: str) -> object:
    return yaml_reader.read_yaml(text, LIMITS)


class YamlReaderTest(base.TestCase):
    def test_scalars_are_those_of_yaml_1_1(self) -> None:
        self.assertEqual(
            {"a": [True, 8, 685230, 1.5, None, "2001-01-01", "0o10", "y"]},
            read("a: [yes, 010, 190:20:30, 1.5, ~, 2001-01-01, 0o10, y]"),
        )

    def test_plain_documents_are_read_as_the_library_reads_them(self) -> None:
        text = (
            "a: &x {b: [1, 'two', \"three\"], c: |\n"
            "    text\n"
            "  }\n"
            "d: *x\ne: >-\n  folded\n  text\n? f\n: g\n"
        ).replace("c: |\n    text\n  }", "c: text}")

        self.assertEqual(yaml.safe_load(text), read(text))

    def test_keys_become_the_texts_that_json_gives_them(self) -> None:
        self.assertEqual(
            {"true": 1, "null": 2, "1.5": 3, "750": 4},
            read("{true: 1, ~: 2, 1.5: 3, 12:30: 4}"),
        )

    def test_the_later_of_two_equal_keys_wins(self) -> None:
        self.assertEqual({"a": 2}, read("a: 1\na: 2"))

    def test_merge_keys_and_tags_are_known(self) -> None:
        self.assertEqual(
            {"a": {"x": 1}, "b": {"x": 1, "y": "2"}},
            read("a: &a {x: 1}\nb: {<<: *a, y: !!str 2}"),
        )

    def test_an_error_tells_line_and_column(self) -> None:
        error = self.assertRaises(
            yaml_reader.Unreadable, read, "a: 1\nb: {%x: 1}"
        )

        self.assertEqual((2, 5), (error.line, error.column))

    def test_an_alias_of_itself_is_refused(self) -> None:
        error = self.assertRaises(yaml_reader.Unreadable, read, "a: &r [*r]")

        self.assertIn("contains itself", error.message)

    def test_an_unknown_tag_is_refused(self) -> None:
        self.assertRaises(yaml_reader.Unreadable, read, "a: !python/x 1")

    def test_a_value_that_its_tag_does_not_allow_is_not_told(self) -> None:
        for kind, text in (
            ("bool", "s3cret"),
            ("bool", "''"),
            ("int", "''"),
            ("int", "'-'"),
            ("int", "s3cret"),
            ("float", "''"),
            ("float", "s3cret"),
        ):
            error = self.assertRaises(
                yaml_reader.Unreadable, read, f"a: 1\nb: !!{kind} {text}"
            )

            self.assertEqual(
                f"the value in line 2, column 4 cannot be read as {kind},"
                f" which its tag !!{kind} declares",
                error.message,
            )
            self.assertEqual((2, 4), (error.line, error.column))
        self.assertEqual(
            {"a": 12, "b": True, "c": 1.0},
            read("{a: !!int '12', b: !!bool 'yes', c: !!float 1}"),
        )

    def test_a_password_without_quotes_is_not_told(self) -> None:
        for text in ("a: 1\nb: *s3cret", "a: 1\nb: !s3cret x"):
            error = self.assertRaises(yaml_reader.Unreadable, read, text)

            self.assertNotIn("s3cret", error.message)
            self.assertIn("needs quotes", error.message)
            self.assertEqual((2, 4), (error.line, error.column))

    def test_a_second_document_is_refused(self) -> None:
        error = self.assertRaises(
            yaml_reader.Unreadable, read, "a: 1\n---\nb: 1"
        )

        self.assertEqual(2, error.line)

    def test_aliases_that_multiply_are_refused(self) -> None:
        lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        for level in range(1, 20):
            repeated = ", ".join([f"*a{level - 1}"] * 10)
            lines.append(f"a{level}: &a{level} [{repeated}]")

        self.assertRaises(errors.TooLarge, read, "\n".join(lines))

    def test_merge_keys_that_multiply_are_refused(self) -> None:
        lines = ["a0: &a0 {x: 1}"]
        for level in range(1, 20):
            repeated = ", ".join([f"*a{level - 1}"] * 10)
            lines.append(f"a{level}: &a{level} {{<<: [{repeated}]}}")

        self.assertRaises(errors.TooLarge, read, "\n".join(lines))

    def test_any_kind_of_deep_nesting_is_refused(self) -> None:
        for text in ("[" * 100_000, "- " * 100_000, "{a: " * 100_000):
            error = self.assertRaises(errors.TooLarge, read, text)
            self.assertIn("nested", error.message)

    def test_aliases_do_not_hide_depth(self) -> None:
        lines = ["a0: &a0 [x]"]
        lines += [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 250)]

        self.assertRaises(errors.TooLarge, read, "\n".join(lines))

    def test_limits_may_be_lifted(self) -> None:
        lifted = inputs.Limits(depth=-1)

        value = yaml_reader.read_yaml("[" * 300 + "]" * 300, lifted)

        self.assertIsInstance(value, list)
