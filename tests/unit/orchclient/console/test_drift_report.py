"""Reports of drift as people read them."""

import io

from orchclient import drift
from orchclient.console import drift_report
from tests import base
from tests.unit.orchclient import test_drift


def report(*things: dict[str, object], **more: object) -> drift.Report:
    """Return a report of one stack, with the things of a stack in it."""
    (stack,) = test_drift.REPORT["stacks"]  # type: ignore[attr-defined]
    inner = [each for each in things if "/" in str(each["path"])]
    outer = [each for each in things if each not in inner]
    return drift.Report.of(
        {
            **test_drift.REPORT,
            "stacks": [
                {**stack, "resources": outer},
                {**stack, "path": "web", "resources": inner},
            ],
            **more,
        }
    )


def observed_resource(path: str, **more: object) -> dict[str, object]:
    name = path.rpartition("/")[2]
    return {
        **test_drift.THING,
        "resource_name": name,
        "path": path,
        "coverage": 100,
        **more,
    }


def place(
    name: str,
    expected: object,
    live: object,
    kind: str = "changed",
    index: int | None = None,
) -> dict[str, object]:
    return {
        "place": name,
        "kind": kind,
        "index": index,
        "expected": expected,
        "live": live,
    }


def report_texts(found: drift.Report) -> list[str]:
    return [each.text for each in drift_report.report_lines("shop", found)]


class LinesTest(base.TestCase):
    def test_it_says_what_was_not_compared_and_why(self) -> None:
        found = report(
            observed_resource(
                "page",
                state="in_sync",
                coverage=50,
                differences=[],
                uncovered=[
                    {"property": "content", "reason": "write_only"},
                    {"property": "mode", "reason": "of a later release"},
                ],
            ),
            observed_resource(
                "far",
                state="unknown",
                reason="no answer",
                differences=[],
                uncovered=[{"property": "mode", "reason": "failed"}],
            ),
        )

        self.assertEqual(
            [
                "  = page (Orch::Local::File); coverage 50 %",
                "      not compared: content (the service never shows it),"
                " mode (of a later release)",
                "  ? far (Orch::Local::File); unknown: no answer",
            ],
            report_texts(found)[1:],
        )

    def test_it_is_a_tree_property_by_property(self) -> None:
        found = report(
            observed_resource("web", state="nothing", differences=[]),
            observed_resource("hidden", state="nothing", differences=[]),
            observed_resource("web/page"),
            observed_resource(
                "web/good", state="in_sync", coverage=50, differences=[]
            ),
            observed_resource("gone", is_vanished=True, differences=[]),
            observed_resource(
                "far", state="unknown", reason="no answer", differences=[]
            ),
        )

        self.assertEqual(
            [
                "shop: drifted; as seen 4 s ago; 1 in sync, 1 drifted, 2"
                " nothing to observe; coverage 83 %",
                "    web (Orch::Local::File)",
                "    ~ page (Orch::Local::File); since 2026-11-21T10:00:00Z;"
                " policy report",
                "        mode:  # policy repair",
                '          - "0644"',
                '          + "0600"',
                "    = good (Orch::Local::File); coverage 50 %",
                "  - gone (Orch::Local::File); vanished; since"
                " 2026-11-21T10:00:00Z; policy report",
                "  ? far (Orch::Local::File); unknown: no answer",
            ],
            report_texts(found),
        )

    def test_a_child_stack_is_shown_without_the_resource_that_holds_it(
        self,
    ) -> None:
        found = report(observed_resource("web/page", differences=[]))

        self.assertEqual(
            [
                "  web:",
                "    ~ page (Orch::Local::File); since 2026-11-21T10:00:00Z;"
                " policy report",
            ],
            report_texts(found)[1:],
        )

    def test_the_places_that_differ_are_shown(self) -> None:
        found = report(
            observed_resource(
                "page",
                differences=[
                    {
                        "property": "rules",
                        "policy": "report",
                        "places": [
                            place("rules.1.port", 80, 81),
                            place("rules.1.names", "b", None, "removed", 1),
                            place("rules.1.names", None, "c", "added", 2),
                        ],
                    },
                ],
            )
        )

        self.assertEqual(
            [
                "rules.1.port:",
                "- 80",
                "+ 81",
                "rules.1.names:",
                '- "b"',
                '+ "c"',
            ],
            [each.strip() for each in report_texts(found)[2:]],
        )

    def test_why_it_is_not_repaired_any_more_is_told(self) -> None:
        found = report(
            observed_resource("page", policy="repair", reason="Too often")
        )

        (line,) = [each for each in report_texts(found) if "~ page" in each]

        self.assertTrue(line.endswith("policy repair; Too often"), line)

    def test_one_that_was_never_looked_at_says_what_to_do(self) -> None:
        found = report(observed_at=None, age=None, state="unknown")

        self.assertIn(
            "unknown; never observed (--refresh does)", *report_texts(found)
        )

    def test_texts_are_shown_line_by_line(self) -> None:
        found = report(
            observed_resource(
                "page",
                differences=[
                    {
                        "property": "update",
                        "places": [place("update.body.size", 5, 6)],
                    },
                    {
                        "property": "content",
                        "expected": "one\ntwo\nthree\nfour\n",
                        "live": "one\n\x1b[2Jtwo\nthree\nfour\n",
                    },
                    {"property": "note", "expected": None, "live": "x" * 300},
                ],
            )
        )

        self.assertEqual(
            [
                "      update.body.size:",
                "        - 5",
                "        + 6",
                "      content:",
                "        @@ -1,3 +1,3 @@",
                "          one",
                "        - two",
                "        + \\x1b[2Jtwo",
                "          three",
                "      note:",
                "        - nothing",
                f'        + "{"x" * 199}…',
            ],
            report_texts(found)[2:],
        )

    def test_what_the_service_redacts_is_sensitive(self) -> None:
        found = report(
            observed_resource(
                "page",
                differences=[
                    {
                        "property": "content",
                        "expected": "******",
                        "live": "one\ntwo\n",
                    },
                    {
                        "property": "env",
                        "places": [place("env.a", "******", "x")],
                    },
                    {
                        "property": "list",
                        "expected": ["******"],
                        "live": None,
                    },
                ],
            )
        )

        self.assertEqual(
            [
                "      content:",
                "        - (sensitive)",
                '        + "one\\ntwo\\n"',
                "      env.a:",
                "        - (sensitive)",
                '        + "x"',
                "      list:",
                "        - [(sensitive)]",
                "        + nothing",
            ],
            report_texts(found)[2:],
        )

    def test_a_lost_end_of_line_is_told(self) -> None:
        found = report(
            observed_resource(
                "page",
                differences=[
                    {
                        "property": "content",
                        "expected": "one\ntwo\n",
                        "live": "one\ntwo",
                    }
                ],
            )
        )

        self.assertEqual(
            ["        - two", "        + two (no end of line)"],
            report_texts(found)[-2:],
        )

    def test_on_a_terminal_expected_is_red_and_live_green(self) -> None:
        lines = drift_report.report_lines(
            "shop", report(observed_resource("page"))
        )

        styles = {each.text.strip(): each.style for each in lines}
        self.assertEqual(
            ("red", "green"), (styles['- "0644"'], styles['+ "0600"'])
        )

    def test_elsewhere_nothing_is_coloured_or_broken(self) -> None:
        out = io.StringIO()
        wanted = [
            drift_report.Line("x" * 500, "red"),
            drift_report.Line("[b]y"),
        ]

        drift_report.write_lines(out, wanted)

        self.assertEqual(["x" * 500, "[b]y"], out.getvalue().splitlines())
