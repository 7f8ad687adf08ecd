"""The modules that the script writes, and how it finds stale ones."""

import contextlib
import io
import pathlib
import tempfile
import typing

from orchclient import errors
from orchclient import stack_identity
from tests import base
from tests.unit.tools.client_values import loading
from tools.client_values import __main__ as script
from tools.client_values import classes
from tools.client_values import source


class Page(typing.TypedDict):
    """A page of a book.

    It may be torn.

    :ivar number: from 1; null where there is none,
        as on a cover
    :ivar hint: missing where there is none
    """

    number: int | None
    hint: typing.NotRequired[object]


class Book(typing.TypedDict):
    """A book."""

    title: str
    pages: list[Page]


class Loop(typing.TypedDict):
    """A loop."""

    child: "Loop | None"


PAGE = classes.Value(facts=Page, name="Leaf", module="pages")
BOOK = classes.Value(
    facts=Book,
    name="Volume",
    module="pages",
    required=("title",),
    extras={"stack": classes.Extra(annotation="stack_identity.StackIdentity")},
)
STACK = stack_identity.StackIdentity("web", "s-1")


class SourceTest(base.TestCase):
    def load(self, *values: classes.Value) -> typing.Any:
        return loading.load(source.write_modules(values)["pages"])

    def test_a_class_reads_what_a_body_has(self) -> None:
        module = self.load(PAGE, BOOK)

        found = module.Volume.of(
            {"title": "Emma", "pages": [{"number": 1, "hint": None}, {}]},
            STACK,
        )

        self.assertEqual(("Emma", STACK), (found.title, found.stack))
        first, second = found.pages
        self.assertEqual(module.Leaf(number=1, hint=None), first)
        self.assertEqual((None, "ABSENT"), (second.number, str(second.hint)))

    def test_a_body_without_what_is_required_is_refused(self) -> None:
        volume = self.load(PAGE, BOOK).Volume

        self.assertRaises(errors.AnswerError, volume.of, {}, STACK)

    def test_values_are_frozen_and_have_no_other_attributes(self) -> None:
        found = self.load(PAGE).Leaf(number=1)

        self.assertRaises(AttributeError, setattr, found, "number", 2)
        self.assertFalse(hasattr(found, "__dict__"))

    def test_docstrings_say_what_the_contract_says(self) -> None:
        text = source.write_modules([PAGE])["pages"]

        self.assertIn(
            '''    """A page of a book.

    :ivar number: from 1; ``None`` where there is none, as on a cover
    :ivar hint: ``ABSENT`` where there is none
    """
''',
            text,
        )

    def test_the_first_line_says_who_writes_it(self) -> None:
        text = source.write_modules([PAGE])["pages"]

        self.assertEqual(
            "# Written by `python -m tools.client_values` of the contract;"
            " do not edit it.",
            text.splitlines()[0],
        )

    def test_classes_refer_to_each_other_across_modules(self) -> None:
        values = (classes.Value(facts=Page, name="Leaf", module="leaf"), BOOK)

        text = source.write_modules(values)["pages"]

        self.assertIn("from orchclient.values import leaf\n", text)
        self.assertIn("    pages: tuple[leaf.Leaf, ...] = ()\n", text)

    def test_a_class_may_refer_to_itself(self) -> None:
        value = classes.Value(facts=Loop, name="Loop", module="loops")

        self.assertIn(
            '    child: "Loop | None" = None\n',
            source.write_modules([value])["loops"],
        )

    def test_facts_without_a_class_are_refused(self) -> None:
        error = self.assertRaises(TypeError, source.write_modules, [BOOK])

        self.assertIn("Page is missing", str(error))


class ScriptTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_script(self, *arguments: str) -> tuple[int, str]:
        """Return the exit code and what is printed."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = script.main(arguments, self.folder)
        return code, out.getvalue()

    def test_the_files_of_the_client_are_as_the_contract_says(self) -> None:
        self.assertEqual(0, script.main(["--check"]))

    def test_a_check_names_what_is_stale_and_writes_nothing(self) -> None:
        self.assertEqual((0, ""), self.run_script())
        stale = self.folder / "drift.py"
        stale.write_text(source.FIRST_LINE, encoding="utf-8")

        code, printed = self.run_script("--check")

        self.assertEqual(1, code)
        self.assertIn("drift.py", printed)
        self.assertNotIn("plans.py", printed)
        self.assertIn("run `make values`", printed)
        self.assertEqual(source.FIRST_LINE, stale.read_text(encoding="utf-8"))

    def test_what_is_left_behind_goes_and_other_files_stay(self) -> None:
        gone, methods = self.folder / "gone.py", self.folder / "methods.py"
        gone.write_text(source.FIRST_LINE, encoding="utf-8")
        methods.write_text("# by hand\n", encoding="utf-8")

        before, _ = self.run_script("--check")
        self.run_script()
        after, _ = self.run_script("--check")

        self.assertEqual((1, 0), (before, after))
        self.assertFalse(gone.exists())
        self.assertEqual("# by hand\n", methods.read_text(encoding="utf-8"))
        self.assertTrue((self.folder / "drift.py").exists())
