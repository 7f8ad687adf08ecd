"""Drift, as the library tells it and asks for it."""

from orchclient import client
from orchclient import drift
from orchclient import errors
from tests import base
from tests.unit.orchclient import answering

_MOMENT = "2026-11-21T10:00:00Z"
THING: answering.Json = {
    "resource_name": "page",
    "path": "web/page",
    "resource_type": "Orch::Local::File",
    "physical_resource_id": "site/index.html",
    "state": "drifted",
    "is_vanished": False,
    "coverage": 66,
    "reason": "",
    "observed_at": _MOMENT,
    "age": 3.5,
    "drifted_at": _MOMENT,
    "policy": "report",
    "differences": [
        {
            "property": "mode",
            "expected": "0644",
            "live": "0600",
            "policy": "repair",
        }
    ],
}
COUNTS = {"in_sync": 1, "drifted": 1, "unknown": 0, "nothing": 2}
REPORT: answering.Json = {
    "state": "drifted",
    "coverage": 83,
    "resource_counts": COUNTS,
    "requested_at": _MOMENT,
    "observed_at": _MOMENT,
    "age": 3.5,
    "due_at": None,
    "in_progress": False,
    "stacks": [
        {
            "id": answering.STACK_ID,
            "stack_name": "shop",
            "path": "",
            "state": "drifted",
            "coverage": 83,
            "resource_counts": COUNTS,
            "links": [answering.link("self", answering.STACK)],
            "resources": [THING],
        }
    ],
}


class DriftTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.service = answering.Service()
        self.orch: client.Client = answering.connected(self.service)
        self.service.lay(
            "GET /stacks/shop",
            answering.Answer(
                status=302,
                headers={"Location": answering.ENDPOINT + answering.STACK},
            ),
        )
        self.service.lay(f"GET {answering.STACK}", answering.Answer(_stack()))

    def lay(self, what: str, *bodies: object) -> None:
        method, _, path = what.partition(" ")
        answers = [answering.Answer(body) for body in bodies]
        self.service.lay(f"{method} {answering.STACK}{path}", *answers)

    def test_a_report_is_read(self) -> None:
        self.lay("GET /drift", {"drift": REPORT})

        found = self.orch.drift.show("shop", states=["drifted", "unknown"])

        self.assertEqual(
            f"GET {answering.STACK}/drift?limit=1000&state=drifted"
            "&state=unknown",
            self.service.paths()[-1],
        )
        self.assertEqual(("drifted", 83, 3.5), _facts(found))
        self.assertEqual(COUNTS, found.counts)
        self.assertEqual(REPORT, found.body)
        (thing,) = found.resources
        self.assertEqual(("web/page", 66), (thing.path, thing.coverage))
        (difference,) = thing.differences
        self.assertEqual(
            ("mode", "0644", "0600", "repair"),
            (
                difference.property,
                difference.expected,
                difference.live,
                difference.policy,
            ),
        )

    def test_all_pages_are_read_and_are_one_report(self) -> None:
        def page(**stacks: list[str]) -> answering.Json:
            return {
                **REPORT,
                "stacks": [
                    {
                        **REPORT["stacks"][0],
                        "id": key,
                        "links": [
                            answering.link("self", f"/stacks/shop/{key}")
                        ],
                        "resources": [
                            {**THING, "path": each} for each in things
                        ],
                    }
                    for key, things in stacks.items()
                ],
            }

        links = [{"rel": "next", "href": "there"}]
        self.lay(
            "GET /drift",
            {"drift": page(one=["a", "b"], two=["b/c"]), "links": links},
            {"drift": page(two=["b/d"], three=[]), "links": []},
        )

        found = self.orch.drift.show("shop")

        self.assertEqual(
            ["a", "b", "b/c", "b/d"], [each.path for each in found.resources]
        )
        self.assertEqual(
            ["one", "two", "three"], [each.id for each in found.stacks]
        )
        self.assertEqual(
            page(one=["a", "b"], two=["b/c", "b/d"], three=[]), found.body
        )
        self.assertEqual(
            [
                f"GET {answering.STACK}/drift?limit=1000",
                f"GET {answering.STACK}/drift?limit=1000&marker=b%2Fc",
            ],
            self.service.paths()[-2:],
        )

    def test_one_that_nobody_has_looked_at_has_no_age(self) -> None:
        self.lay(
            "GET /drift",
            {"drift": {**REPORT, "observed_at": None, "age": None}},
        )

        found = self.orch.drift.show("shop")

        self.assertEqual((None, None), (found.observed_at, found.age_s))

    def test_a_look_is_waited_for(self) -> None:
        never = {**REPORT, "observed_at": None, "in_progress": True}
        clock = answering.Clock()
        drifts = drift.Drifts(answering.sender(self.service), clock)
        self.lay("POST /actions", {"drift": {"requested_at": _MOMENT}})
        self.lay(
            "GET /drift",
            {"drift": never},
            {"drift": {**REPORT, "in_progress": True}},
            {"drift": REPORT},
        )

        found = drifts.refresh("shop", interval_s=2)

        self.assertEqual(REPORT, found.body)
        self.assertEqual([2, 2], clock.slept)
        # Whether it goes on is asked without what was seen.
        self.assertEqual(
            [f"GET {answering.STACK}/drift?limit=0"] * 3
            + [f"GET {answering.STACK}/drift?limit=1000"],
            [each for each in self.service.paths() if "/drift" in each],
        )
        (asked,) = [each for each in self.service.requests if each.body]
        self.assertEqual({"observe": {}}, asked.body)

    def test_who_waits_no_longer_is_told_so(self) -> None:
        clock = answering.Clock()
        drifts = drift.Drifts(answering.sender(self.service), clock)
        self.lay("POST /actions", {"drift": {"requested_at": _MOMENT}})
        self.lay("GET /drift", {"drift": {**REPORT, "in_progress": True}})

        error = self.assertRaises(
            drift.ObservationTimeoutError,
            drifts.refresh,
            "shop",
            interval_s=2,
            timeout_s=5,
        )

        self.assertIn("goes on after 5 seconds", str(error))
        self.assertEqual([2, 2, 2], clock.slept)

    def test_all_or_some_is_accepted(self) -> None:
        self.lay("POST /actions", {"accepted": ["web/page"]})

        self.assertEqual(("web/page",), self.orch.drift.accept("shop"))
        self.orch.drift.accept("shop", ["web/page"])

        self.assertEqual(
            [
                {"accept_drift": None},
                {"accept_drift": {"resources": ["web/page"]}},
            ],
            [each.body for each in self.service.requests if each.body],
        )

    def test_all_or_some_acceptances_are_undone(self) -> None:
        self.lay("POST /actions", {"undone": ["web/page"]})

        self.assertEqual(("web/page",), self.orch.drift.undo_accept("shop"))
        self.orch.drift.undo_accept("shop", ["web/page"])

        self.assertEqual(
            [
                {"undo_accept_drift": None},
                {"undo_accept_drift": {"resources": ["web/page"]}},
            ],
            [each.body for each in self.service.requests if each.body],
        )

    def test_a_history_is_read_up_to_a_limit(self) -> None:
        entries = [
            {
                "id": f"e{number}",
                "path": "web/page",
                "property": None,
                "expected": None,
                "live": None,
                "found_by": "check",
                "found_at": "2026-11-21T10:00:00Z",
                "ended_by": None,
                "ended_at": None,
            }
            for number in range(2)
        ]
        self.lay(
            "GET /drift/history",
            {
                "history": entries,
                "links": [{"rel": "next", "href": "http://s/next"}],
            },
        )

        found = list(self.orch.drift.history("shop", limit=3))

        self.assertEqual(["e0", "e1", "e0"], [each.id for each in found[:3]])
        self.assertEqual(
            ["limit=3", "limit=1&marker=e1"],
            [
                each.path.partition("?")[2]
                for each in self.service.requests
                if "history" in each.path
            ],
        )

    def test_a_policy_is_set_and_read(self) -> None:
        policy = {"stack": "repair", "resources": {}}
        self.lay("PUT /drift/policy", {"policy": policy})
        self.lay("GET /drift/policy", {"policy": policy})

        self.assertEqual(policy, self.orch.drift.set_policy("shop", policy))
        self.assertEqual(policy, self.orch.drift.policy("shop"))

        (put,) = [each for each in self.service.requests if each.body]
        self.assertEqual({"policy": policy}, put.body)

    def test_a_template_tells_what_cannot_be_in_it(self) -> None:
        self.lay(
            "GET /drift/template",
            {
                "template": "a: 1\n",
                "changes": [{"path": "page", "property": "mode"}],
                "omitted": [
                    {"path": "x", "property": None, "reason": "vanished"}
                ],
            },
        )

        found = self.orch.drift.template("shop")

        self.assertEqual("a: 1\n", found.template)
        self.assertEqual((("page", "mode"),), found.changes)
        self.assertEqual(
            (drift.OmittedChange(path="x", property=None, reason="vanished"),),
            found.omitted,
        )

    def test_an_answer_that_is_no_report_is_refused(self) -> None:
        self.lay("GET /drift", {"drift": {"coverage": 1}})

        self.assertRaises(errors.AnswerError, self.orch.drift.show, "shop")


def _facts(found: drift.Report) -> tuple[object, ...]:
    return (found.state, found.coverage, found.age_s)


def _stack() -> answering.Json:
    return {
        "stack": {
            "id": answering.STACK_ID,
            "stack_name": "shop",
            "stack_status": "CREATE_COMPLETE",
            "links": [
                {
                    "rel": "self",
                    "href": answering.ENDPOINT + answering.STACK,
                }
            ],
        }
    }
