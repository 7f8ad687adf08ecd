"""First lines of docstrings are plain, short sentences."""

from tests import base
from tools.house import first_lines
from tools.house import walk

IDIOMS = {"nobody": "none", "things?": "physical resource"}


class SentenceTests(base.TestCase):
    def find(self, docstring: str | None) -> str:
        return first_lines.find_problem(docstring, IDIOMS) or ""

    def test_a_plain_sentence_is_right(self) -> None:
        for docstring in (
            "Lock a stack so that no operation starts on it.",
            "Whether a stack is locked.",
            "Raise :class:`orch.errors.Busy` if a stack is locked.",
            "Return the version, ``1.0`` at first.\n\nA thing more.",
            "Return a stack. Nobody reads the second sentence.",
            "Return everything of a stack.",
        ):
            self.assertEqual("", self.find(docstring))

    def test_a_docstring_is_needed(self) -> None:
        self.assertIn("no docstring", self.find(None))
        self.assertIn("no docstring", self.find("  "))

    def test_a_sentence_ends_with_a_period(self) -> None:
        self.assertIn("no period", self.find("Return a stack"))
        self.assertIn("no period", self.find("Return\n\na stack."))

    def test_a_sentence_has_at_most_fifteen_words(self) -> None:
        self.assertEqual("", self.find(f"{'word ' * 14}word."))
        self.assertIn("16 words", self.find(f"{'word ' * 15}word."))
        self.assertIn("16 words", self.find(f"{'word ' * 8}\n{'w ' * 7}w."))

    def test_an_idiom_is_found_as_a_whole_word(self) -> None:
        self.assertIn("say: none", self.find("Nobody holds the lock."))
        self.assertIn('"thing"', self.find("Return a thing of a stack."))
        self.assertEqual("", self.find("Return ``thing`` of a stack."))


class CheckTests(base.TestCase):
    TEXT = '''"""A module."""

class A:
    """A class of nobody."""

    def act(self):
        """Tell nobody."""

    def _act(self):
        """Tell nobody."""

def act():
    """Tell nobody."""
'''

    def check(self, path: str) -> list[int]:
        problems = first_lines.check(walk.parse(path, self.TEXT), IDIOMS)
        return [each.line for each in problems]

    def test_public_functions_count_in_rooms_that_are_read_first(self) -> None:
        self.assertEqual([3, 6, 12], self.check("orch/flow/a.py"))
        self.assertEqual([3], self.check("orch/db/a.py"))

    def test_a_help_text_has_no_idiom(self) -> None:
        text = '"""A module."""\nadd("x", help="Long." " Nobody asks.")\n'
        source = walk.parse("orch/conf/a.py", text)

        problems = first_lines.check(source, IDIOMS)

        self.assertEqual(
            ['orch/conf/a.py:2: help: "Nobody", say: none'],
            [str(each) for each in problems],
        )

    def test_a_room_that_is_replaced_is_left_out(self) -> None:
        self.assertEqual([], self.check("orch/api/response_schemas/a.py"))
