import dataclasses
import functools
import pathlib
import re
import time

import hypothesis
from hypothesis import strategies

from orch import errors
from orch.search.index import ordering
from orch.search.query import language
from orch.search.query import matching
from orch.search.query import nodes
from orch.search.query import searchlight
from tests import base
from tests.unit.search.query import samples

_PAGE = (
    pathlib.Path(__file__).parents[4] / "doc/source/search_language.rst"
).read_text()
_ROW = re.compile(r"^   \* - ``(.*)``$", re.MULTILINE)

_ID = samples.SERVER_ID
EXAMPLES = {
    "disk full": "db web",
    '"disk full"': "web",
    "dis*": "db web",
    "OS::Nova::Server": "db web",
    "name:web-1": "web",
    'reason:"disk full"': "web",
    "path:*/db/*": "db",
    "name:we*": "web",
    "flavor:m1.large": "db web",
    "properties.flavor:m1.large": "web",
    "tags:*": "shop",
    "-tags:*": "db web",
    "size:>5": "db shop",
    "size:[5 TO 20]": "db shop web",
    "created:2026-01-15": "shop",
    "created:>=2026-01-10": "shop",
    "created:[2026-01-01 TO 2026-02-01}": "shop web",
    "updated:>now-1h": "shop",
    "web OR db": "db shop web",
    "disk AND full": "db web",
    "disk NOT web": "db",
    "(web OR db) type:OS::Nova::Server": "db web",
    "name:(web OR db)": "web",
    r"\-web": "shop web",
    '"AND"': "",
    "kind:stack": "shop",
    "name:server": "db",
    "path:shop/db/server": "db",
    "type:OS::Nova::Server": "db web",
    "status:failed": "web",
    "state:CREATE_FAILED": "web",
    "action:create": "db web",
    "reason:disk": "db web",
    "description:shop": "shop",
    "tag:blue": "shop",
    "project:p1": "shop web",
    "owner:alice": "shop web",
    f"id:{_ID}": "web",
    f"physical_id:{_ID}": "web",
    "stack_id:0a0a": "shop web",
    "drift:true": "web",
    "created:2026": "shop web",
    "template:flavor": "shop",
    "event:drifted": "web",
}
MORE = {
    "": "db shop web",
    "*": "db shop web",
    "*:*": "db shop web",
    '"disk fu"*': "web",
    "status:create_failed": "web",
    "status:in-progress": "db",
    "state:create_*": "db web",
    "state:*_failed": "web",
    "state:complete": "shop",
    "state:c*te_in_progress": "db",
    "status:fail*": "web",
    "status:*": "db shop web",
    "drift:false": "shop",
    "size:{5 TO *]": "db shop",
    "size:{5 TO 20}": "shop",
    "size:5": "web",
    "since:>2026-01-19": "web",
    "since:>2026-01-20": "",
    "since:>=2026-01-20": "web",
    "since:<=2026-01-19": "",
    "since:<=2026-01-20": "web",
    "since:<2026-01-20": "",
    "created:>2026-01-15": "",
    "created:<=2026-01-15T10:00:00Z": "shop web",
    "created:<2026-01-15T10:00:00Z": "web",
    'created:>"2026-01-15T11:00:01+01:00"': "",
    'created:>="2026-01-15T11:00:00+01:00"': "shop",
    "created:1768471200.5": "shop",
    "created:now": "",
    "updated:now/d": "shop",
    "updated:[now-1d/d TO now/d}": "",
    "is_public:true": "web",
    "load:0.5": "web",
    "load:<=0.5": "web",
    'tags:"green tea"': "shop",
    "tags:green": "",
    "tags:green*": "shop",
    "name:(web-1 server)": "",
    "name:(we* OR -web)": "db shop web",
    "town || db && zebra": "shop",
    "disk !web": "db",
    "disk -web": "db",
    "disk && full": "db web",
    "+disk": "db web",
    "outputs.url:http://shop:80/": "shop",
    "output.url:http*": "shop",
    "http://shop:80/": "shop",
    "host-7": "",
    "worker:host-7": "",
    r"name:web\-1": "web",
    r"name:\*": "",
    "path:shop/?b/*": "db",
    "name:web-*": "web",
    "id:0a0a": "shop web",
    "id:0a*": "shop web",
    "kind:RESOURCE": "db web",
    "fa:16:3e:00:11:22": "",
    "172.24.4.*": "",
    "disk? full?": "db web",
    "disk :80 ::1": "",
    "[disk full": "db web",
    "type:OS::Heat::Resource": "db web",
    "type:os::orch::orphan": "",
    "type:OS::Heat::Stack": "shop",
    "names:x OR types:x OR bind:x OR stage:x": "",
    "action:Create status:in_progress": "db",
    "drift:FALSE": "shop",
}
WRONG = {
    "disk AND": (9, "nothing follows AND", "expected a word"),
    "a OR  ": (7, "nothing follows OR", "expected a word"),
    "OR a": (1, "nothing here", "small letters"),
    "a AND OR b": (7, "nothing follows AND", "small letters"),
    "NOT": (4, "nothing follows NOT", "expected"),
    "(a b": (1, "a ( is not closed", "expected )"),
    "name:(a": (6, "a ( is not closed", "expected )"),
    "()": (2, "nothing follows (", "expected"),
    "a b)": (4, "a ) closes nothing", "leave it out"),
    'x "disk full': (3, "a quotation mark is not closed", 'expected "'),
    'name:"x': (6, "a quotation mark is not closed", 'expected "'),
    "nmae:web": (1, "there is no field nmae", "did you mean name?"),
    "a stauts:x": (3, "there is no field stauts", "did you mean status?"),
    "name: web": (6, "name: has no value", "behind the colon"),
    "size:[20 TO 5]": (6, "the wrong way round", "write [5 TO 20]"),
    "size:[1 TO": (6, "a range is not whole", "[LOW TO HIGH]"),
    "size:=>5": (6, "=> is no operator", "expected >, >="),
    "a name:!=web": (8, "!= is no operator", '"!=…"'),
    "web~2": (4, "~2 is no operator", r"write \~2 for"),
    '"disk full"~3': (12, "there are no fuzzy matches", "leave it out"),
    "name:web^2": (9, "^2 is no operator, as there are no weights", "leave"),
    "size:>": (6, "nothing follows >", "expected a number"),
    "size:>big": (6, "big is neither", "expected a number"),
    "created:2026-02-30": (9, "no moment 2026-02-30", "2026-01-31"),
    "created:soon": (9, "soon is no moment", "now-7d"),
    "created:2026*": (9, "knows no wildcards", "created_at:2026-01"),
    "created:>now-999999y": (9, "no moment now-999999y", "expected"),
    "reason:>5": (8, "reason is a text", "reason:value"),
    "typ:x": (1, "there is no field typ", "did you mean type?"),
    "atus ath:x": (6, "there is no field ath", "did you mean path?"),
    "staxus:x": (1, "there is no field staxus", "did you mean status?"),
    "propertes.x:1": (1, "no field propertes.x", "mean properties.x?"),
    "status:broken": (8, "no status broken", "IN_PROGRESS, COMPLETE, FAILED"),
    "status:active": (8, "no status active", "attributes.status"),
    "state:create": (7, "no status create", "write action:CREATE"),
    "status:creat_failed": (8, "there is no action CREAT", "CREATE, DELETE"),
    "a\naction:(create OR mend)": (
        19,
        "there is no action mend",
        "CREATE, DELETE",
    ),
    "drift:maybe": (
        7,
        "there is no drift maybe",
        "in_sync, drifted, unknown, nothing, true, false",
    ),
    "name :x": (5, "a space is between name and its", "write name:value"),
    "a tag  :x": (6, "a space is between tag and its", "write tag:value"),
    "properties.x :1": (13, "a space is between", "properties.x:value"),
    "[1 TO 2]": (1, "a range is here without a field", "size:[5 TO 20]"),
    "disk {1 TO *]": (6, "a range is here without", "write the field"),
    "kind:stacks": (6, "there is no kind stacks", "stack, resource, orphan"),
    'tags:""': (6, "the value of tags is empty", "-tags:*"),
    "web & db": (5, "'&' has no letters", "leave it out"),
    "*isk": (1, "elsewhere than at the end", "name:*part*"),
    r"name:a\*b*": (6, "a wildcard and an ordinary character", "write ?"),
    "web \\": (5, "a backslash is at the end", r"or \\"),
    "x" * 2001: (2001, "2001 characters", "2000 at most"),
    "(" * 30: (22, "are nested", "fewer nested ("),
    "-" * 30 + "a": (22, "are nested", "fewer nested ("),
    "a " * 201: (401, "more than 200 conditions", "two queries"),
}

_PIECES = [
    *' ()[]{}<>="\\*?:+-!^/|&a1\n',
    *(" TO ", " AND ", " OR ", "NOT ", "&&", "||"),
    *("name:", "created:", "size:", "now-1d/d", "2026-01"),
]


def found(text: str) -> str:
    node = language.parse_query(text, samples.NOW)
    return " ".join(
        sorted(
            name
            for name, each in samples.ALL.items()
            if matching.is_match(node, each, False)
        )
    )


class LanguageTest(base.TestCase):
    def test_s1_each_example_of_the_page_finds_what_it_says(self) -> None:
        self.assertEqual(sorted(EXAMPLES), sorted(set(_ROW.findall(_PAGE))))

        for text, expected in EXAMPLES.items():
            self.assertEqual(expected, found(text), text)

    def test_more_forms(self) -> None:
        for text, expected in MORE.items():
            self.assertEqual(expected, found(text), text)

    def test_a_wrong_query_has_a_place_and_a_hint(self) -> None:
        for text, (column, message, advice) in WRONG.items():
            error = self.assertRaises(errors.Invalid, found, text)
            (problem,) = error.problems
            self.assertEqual(column, problem.column, text)
            self.assertIn(message, problem.message)
            self.assertIn(advice, problem.advice)
            self.assertEqual(text.count("\n") + 1, problem.line)
            self.assertIn(f"at character {column}", error.message)
            self.assertIn(problem.advice, error.message)

    def test_a_place_in_several_lines_has_its_line(self) -> None:
        error = self.assertRaises(
            errors.Invalid, found, "disk\nname:web\n  drift:maybe full"
        )

        (problem,) = error.problems
        self.assertEqual((3, 9), (problem.line, problem.column))
        self.assertIn("at character 9 of line 3:", error.message)

    def test_an_orphan_is_found_by_the_id_of_its_hit(self) -> None:
        own = "p1/OS::Nova::Server/77aa"
        orphan = dataclasses.replace(
            samples.DB, id=f"orphan/{own}", kind="orphan", stack_id=""
        )
        asked = (
            language.parse_query(f"id:{own}", samples.NOW),
            language.parse_query("id:p1/*/77aa", samples.NOW),
            searchlight.parse_searchlight(
                {"ids": {"values": [own]}}, samples.NOW
            ),
            searchlight.parse_searchlight({"term": {"_id": own}}, samples.NOW),
            language.parse_query("type:OS::Orch::Orphan", samples.NOW),
        )
        for node in asked:
            self.assertTrue(matching.is_match(node, orphan, False), repr(node))
            self.assertFalse(matching.is_match(node, samples.DB, False))

    def test_what_is_offered_adds_to_the_score_alone(self) -> None:
        line = language.parse_loose("disk +db", samples.NOW)
        group = language.parse_loose("( +db  disk)", samples.NOW)
        body = searchlight.parse_searchlight(
            {
                "bool": {
                    "must": {"match": {"_all": "db"}},
                    "should": {"match": {"_all": "disk"}},
                }
            },
            samples.NOW,
        )
        quiet = dataclasses.replace(samples.DB, reason="")
        for node in (line, group, body):
            self.assertTrue(matching.is_match(node, quiet, False))
            self.assertFalse(matching.is_match(node, samples.WEB, False))
            self.assertGreater(
                ordering.score_of(samples.DB, node, False),
                ordering.score_of(quiet, node, False),
            )
        for text in ("size:5 +disk", "status:failed +disk"):
            self.assertEqual(
                nodes.Words(("disk",)),
                language.parse_loose(text, samples.NOW),
            )

    def test_a_property_that_looks_like_a_slip_has_a_way(self) -> None:
        self.assertEqual(
            nodes.Term("properties.stats", "5"),
            language.parse_query("properties.stats:5", samples.NOW),
        )

    def test_an_administrator_finds_what_is_for_them(self) -> None:
        node = language.parse_query("worker:host-7", samples.NOW)

        self.assertTrue(matching.is_match(node, samples.SHOP, True))

    def test_precedence(self) -> None:
        a, b, c = (nodes.Words((each,)) for each in "abc")
        self.assertEqual(
            nodes.Or((a, nodes.And((b, nodes.Not(c))))),
            language.parse_query("a OR b NOT c", samples.NOW),
        )

    def test_loose_words_are_alternatives(self) -> None:
        for text, expected in {
            "disk town": "db shop web",
            "+disk town": "db web",
            "town -disk": "shop",
            "disk AND web town": "web",
            "town AND disk": "",
            "name: (web OR server) AND size: [6 TO 50]": "db",
            "web^2 town^0.1": "shop web",
            "name: w?b*": "web",
            "web && !shop": "",
            "+(disk OR town) -web": "db",
        }.items():
            node = language.parse_loose(text, samples.NOW)
            self.assertEqual(
                expected,
                " ".join(
                    sorted(
                        name
                        for name, each in samples.ALL.items()
                        if matching.is_match(node, each, False)
                    )
                ),
                text,
            )

    @hypothesis.given(strategies.text(max_size=80))
    def test_any_text_means_something_or_is_invalid(self, text: str) -> None:
        self._try(text)

    @hypothesis.settings(max_examples=400)
    @hypothesis.given(
        strategies.lists(
            strategies.sampled_from(_PIECES),
            max_size=40,
        ).map("".join)
    )
    def test_any_pieces_mean_something_or_are_invalid(self, text: str) -> None:
        self._try(text)

    def _try(self, text: str) -> None:
        simple = functools.partial(language.parse_loose, is_simple=True)
        for parse in (language.parse_query, language.parse_loose, simple):
            try:
                node = parse(text, samples.NOW)
            except errors.Invalid as e:
                self.assertGreaterEqual(e.problems[0].column, 1, text)
                self.assertTrue(e.problems[0].advice)
            else:
                for each in samples.ALL.values():
                    matching.is_match(node, each, True)

    def test_the_longest_queries_take_no_time(self) -> None:
        for piece in (
            "\\",
            "(",
            "a*",
            '"',
            "x:[",
            "1:",
            "a.",
            "name:",
            " ",
            "a|",
            "ab ",
            "[1 TO ",
        ):
            text = (piece * 2000)[:2000]
            start = time.process_time()
            self._try(text)
            self.assertLess(time.process_time() - start, 5, piece)
