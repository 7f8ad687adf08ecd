"""Retired words are found as parts of names, and the list is consistent."""

from tests import base
from tools.house import retired_words
from tools.house import walk

WORDS = {
    "everywhere": {"kept": "saved", "left_out": "omitted", "subject": "x"},
    "modules": {"book": "journal"},
    "classes": {},
    "functions": {"of": "find_owner"},
    "options": {"api.followers": "max_event_streams"},
    "fields": {"marked": "pending"},
    "flags": {"--text": "--comment"},
    "codes": {},
    "allowed": {"subject_token": "Keystone"},
}


class FindTests(base.TestCase):
    def find(self, kind: str, name: str) -> str | None:
        found = retired_words.find_word(
            walk.Name("orch/a.py", 1, kind, name), WORDS
        )
        return found and found[0]

    def test_a_word_is_found_as_a_part_of_a_name(self) -> None:
        self.assertEqual("kept", self.find("class", "_KeptPlan"))
        self.assertEqual("kept", self.find("option", "api.kept_answers"))
        self.assertIsNone(self.find("class", "Unkeptness"))

    def test_a_row_of_parts_is_found_as_a_row(self) -> None:
        self.assertEqual("left_out", self.find("class", "LeftOut"))
        self.assertIsNone(self.find("method", "out_left"))

    def test_a_name_of_others_is_allowed_exactly(self) -> None:
        self.assertIsNone(self.find("field", "subject_token"))
        self.assertEqual("subject", self.find("field", "subject_tokens"))

    def test_a_whole_name_holds_for_its_kind(self) -> None:
        self.assertEqual("book", self.find("module", "book"))
        self.assertIsNone(self.find("method", "book"))
        self.assertEqual("of", self.find("function", "of"))
        self.assertEqual("marked", self.find("key", "marked"))
        self.assertEqual("--text", self.find("flag", "--text"))
        self.assertEqual("api.followers", self.find("option", "api.followers"))
        self.assertIsNone(self.find("option", "search.followers"))


class CheckTests(base.TestCase):
    NAMES = (
        walk.Name("orch/a.py", 1, "class", "Kept"),
        walk.Name("orch/a.py", 2, "function", "of"),
        walk.Name("orch/a.py", 3, "function", "find_owner"),
    )

    def test_a_retired_word_is_a_problem(self) -> None:
        problems = retired_words.check(self.NAMES, WORDS)

        self.assertEqual(
            [
                'orch/a.py:1: class Kept: "kept" is retired, say: saved',
                'orch/a.py:2: function of: "of" is retired, say: find_owner',
            ],
            [str(each) for each in problems],
        )

    def test_rooms_that_are_replaced_are_left_out(self) -> None:
        sources = [
            walk.parse("orch/api/response_schemas/stacks.py", ""),
            walk.parse("orch/rpc/transport.py", ""),
        ]
        texts = [("README.md", "asked_by")]

        names = retired_words.iterate_names(sources, texts)

        self.assertEqual(
            ["orch/rpc/transport.py", "README.md"],
            [name.path for name in names],
        )


class TestNamesTests(base.TestCase):
    TEXT = """
_KEPT = {"kept": 1}

class KeptTests:
    kept = 1

    def keep(self): ...

    def test_what_is_kept_is_found(self): ...

def test_kept(): ...
"""

    def test_all_but_constants_keys_and_tests_count(self) -> None:
        source = walk.parse("tests/unit/test_kept.py", self.TEXT)

        self.assertEqual(
            [
                ("module", "test_kept"),
                ("class", "KeptTests"),
                ("field", "kept"),
                ("method", "keep"),
                ("function", "test_kept"),
            ],
            [
                (name.kind, name.name)
                for name in retired_words.iterate_test_names([source])
            ],
        )

    def test_files_of_tests_tools_and_bench_are_read(self) -> None:
        paths = {
            source.path.partition("/")[0]
            for source in walk.load_sources(walk.TEST_PACKAGES)
        }

        self.assertEqual({"tests", "tools", "bench"}, paths)


class ListTests(base.TestCase):
    def test_the_glossary_shows_the_same_list(self) -> None:
        table = retired_words.format_table(walk.load_data("words.toml"))

        self.assertEqual(
            table, retired_words.TABLE.read_text(encoding="utf-8")
        )

    def test_each_word_is_written_as_names_are_split(self) -> None:
        for word in walk.load_data("words.toml")["everywhere"]:
            self.assertEqual(word, "_".join(walk.split(word)))
