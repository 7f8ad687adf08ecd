"""Progress as lines, for people and for programs."""

import io
import json

from orchclient import models
from orchclient.console import json_lines
from orchclient.console import plain
from orchclient.console import progress_events
from tests import base
from tests.unit.orchclient.console import making

_OUTPUTS = (
    models.Output(key="a", value=1),
    models.Output(key="b", value="s3cret", is_sensitive=True),
    models.Output(key="c", error="s3cret is no map", is_sensitive=True),
)


def _event(reason: str = "state changed") -> progress_events.ProgressEvent:
    status = models.Status("CREATE", "FAILED")
    return progress_events.ProgressEvent(
        making.NOW, ("g", "0"), status, reason
    )


class LineTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.out = io.StringIO()
        self.view = plain.View(self.out)

    def written_lines(self) -> list[str]:
        return self.out.getvalue().splitlines()

    def test_an_event_is_a_line(self) -> None:
        self.view.happened(making.operation(), _event("why\nso"))
        self.view.happened(making.operation(), _event())

        start = "2026-01-02T03:04:05Z CREATE_FAILED        g/0"
        self.assertEqual([f"{start}  why so", start], self.written_lines())

    def test_what_is_done_is_told_once(self) -> None:
        for done in (0, 1, 1, 2):
            operation = making.operation(total=4, done=done)
            self.view.progress(operation, ())

        self.assertEqual(
            ["0%: 0 of 4 done", "25%: 1 of 4 done", "50%: 2 of 4 done"],
            self.written_lines(),
        )

    def test_each_block_is_told_once(self) -> None:
        for state in ("BLOCKED", "BLOCKED", "RUNNING", "BLOCKED"):
            reason = "no quota" if state == "BLOCKED" else ""
            operation = making.operation(
                state, reason=reason, next_try_at=making.NOW
            )
            self.view.progress(operation, ())

        line = "BLOCKED: no quota; next try at 2026-01-02T03:04:05Z"
        self.assertEqual([line, line], self.written_lines())

    def test_it_is_told_that_a_child_stack_is_blocked(self) -> None:
        reason = "waiting for kid/a: full, next try at 2026-01-02T03:04:05Z"
        for said in (reason, reason, ""):
            operation = making.operation(
                "RUNNING", reason=said, next_try_at=making.NOW
            )
            self.view.progress(operation, ())

        self.assertEqual([f"BLOCKED: {reason}"], self.written_lines())

    def test_each_hold_is_told_once_with_what_to_type(self) -> None:
        first = making.hold()
        second = making.hold(plugin="money", text="who pays?")
        answered = making.hold(answer="approved")
        for hold in (first, first, answered, second):
            state = "BLOCKED" if hold.is_open else "RUNNING"
            self.view.progress(making.operation(state, hold=hold), ())

        rest = (
            "approve with: orch stack approve web, before 2026-01-02T04:04:05Z"
        )
        self.assertEqual(
            [
                f"HELD by freeze: it is Friday; {rest}",
                f"HELD by money: who pays?; {rest}",
            ],
            self.written_lines(),
        )

    def test_a_hold_of_a_stack_in_the_stack_is_told(self) -> None:
        holds = (making.child_hold(), making.child_hold("h", "1"))
        self.view.progress(making.operation(child_holds=holds), ())

        self.assertEqual(
            [
                "HELD by freeze at g/0: it is Friday; approve with: orch stack"
                " approve id-2, before 2026-01-02T04:04:05Z (and 1 more)"
            ],
            self.written_lines(),
        )

    def test_a_hold_that_follows_another_is_told(self) -> None:
        for name in ("freeze", "money"):
            operation = making.operation(
                "BLOCKED", hold=making.hold(plugin=name)
            )
            self.view.progress(operation, ())

        self.assertEqual(2, len(self.written_lines()))

    def test_the_end_has_outputs_and_time(self) -> None:
        ended = making.operation("COMPLETE", finished_at=making.NOW)
        outputs = (
            models.Output(key="a", value=["x", 1]),
            models.Output(key="b", error="no such"),
        )

        self.view.end(ended, outputs)

        self.assertEqual(
            [
                "CREATE of web COMPLETE after 0 s",
                'a = ["x", 1]',
                "b = (no value: no such)",
            ],
            self.written_lines(),
        )

    def test_a_sensitive_output_is_shown_on_request_only(self) -> None:
        ended = making.operation("COMPLETE", finished_at=making.NOW)

        self.view.end(ended, _OUTPUTS)
        plain.View(self.out, shows_secrets=True).end(ended, _OUTPUTS)

        self.assertEqual(
            [
                "CREATE of web COMPLETE after 0 s",
                "a = 1",
                "b = (sensitive)",
                "c = (sensitive)",
                "CREATE of web COMPLETE after 0 s",
                "a = 1",
                "b = s3cret",
                "c = (no value: s3cret is no map)",
            ],
            self.written_lines(),
        )


class JsonTests(base.TestCase):
    def test_a_sensitive_output_is_told_on_request_only(self) -> None:
        ended = making.operation("COMPLETE", finished_at=making.NOW)
        told = []
        for shows_secrets in (False, True):
            out = io.StringIO()
            view = json_lines.View(out, shows_secrets=shows_secrets)
            view.end(ended, _OUTPUTS)
            told.append(json.loads(out.getvalue()))

        self.assertEqual(
            [
                {"a": 1, "b": None, "c": None},
                {"a": 1, "b": "s3cret", "c": None},
            ],
            [each["outputs"] for each in told],
        )
        self.assertEqual(
            [["b", "c"]] * 2, [each["sensitive"] for each in told]
        )

    def test_progress_is_told_where_it_changed(self) -> None:
        out = io.StringIO()
        view = json_lines.View(out)
        for done in (1, 1, 2):
            view.progress(making.operation(total=2, done=done), ())

        told = [json.loads(line) for line in out.getvalue().splitlines()]
        self.assertEqual([50, 100], [each["percent"] for each in told])
        self.assertEqual({"progress"}, {each["kind"] for each in told})

    def test_a_hold_is_told(self) -> None:
        out = io.StringIO()
        view = json_lines.View(out)
        held = making.operation("BLOCKED", hold=making.hold())
        for each in (held, making.operation()):
            view.progress(each, ())

        told = [json.loads(line) for line in out.getvalue().splitlines()]
        self.assertEqual([["freeze"], []], [each["held_by"] for each in told])
