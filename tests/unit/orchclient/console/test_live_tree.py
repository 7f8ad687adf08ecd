"""What is drawn on terminals."""

import datetime
import io

import fixtures

from orchclient import models
from orchclient.console import live_tree
from orchclient.console import trees
from tests import base
from tests.unit.orchclient.console import making


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class LiveTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.use_environment(TERM="xterm", COLUMNS="100", LINES="12")
        self.out = _Terminal()
        self.view = live_tree.View(self.out)
        self.addCleanup(self.view.close)

    def use_environment(self, **variables: str) -> None:
        for name, value in variables.items():
            self.useFixture(fixtures.EnvironmentVariable(name, value))

    def show(self, *statuses: str, **more: object) -> str:
        nodes = trees.build_tree(
            [
                making.resource(
                    f"r{number:02}", status, status_reason=f"why {number}"
                )
                for number, status in enumerate(statuses)
            ],
            making.ROOT,
        )
        operation = making.operation(**more)
        self.view.begin(operation)
        self.view.progress(operation, nodes)
        self.view.close()
        text = self.out.getvalue()
        return text[text.rindex("web") :]

    def test_states_percent_and_time_left(self) -> None:
        soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(
            seconds=90
        )
        shown = self.show(
            *("CREATE_COMPLETE", "CREATE_FAILED", "INIT_COMPLETE"),
            total=4,
            done=1,
            expected_at=soon,
        )

        self.assertIn("25% (1 of 4)", shown)
        self.assertRegex(shown, "about 1 min (29|30) s left")

    def test_a_hold_is_told_below_the_header(self) -> None:
        self.show("INIT_COMPLETE", state="BLOCKED", hold=making.hold())

        said = " ".join(self.out.getvalue().split())
        self.assertIn("HELD by freeze: it is Friday", said)
        self.assertIn("orch stack approve web", said)

    def test_what_does_not_fit_is_counted(self) -> None:
        statuses = ["CREATE_COMPLETE"] * 50 + ["CREATE_FAILED"]
        statuses += ["CREATE_IN_PROGRESS"]

        shown = self.show(*statuses)

        self.assertIn("50 COMPLETE, 1 FAILED, 1 IN_PROGRESS", shown)
        self.assertIn("r50", shown)
        self.assertIn("r51", shown)
        self.assertNotIn("r01", shown)

    def test_a_sensitive_output_is_shown_on_request_only(self) -> None:
        outputs = (
            models.Output(key="word", value="s3cret", is_sensitive=True),
        )

        self.view.end(making.operation("COMPLETE"), outputs)

        self.assertIn("word = (sensitive)", self.out.getvalue())
        self.assertNotIn("s3cret", self.out.getvalue())
        view = live_tree.View(self.out, shows_secrets=True)
        self.addCleanup(view.close)
        view.end(making.operation("COMPLETE"), outputs)
        self.assertIn("word = s3cret", self.out.getvalue())

    def test_why_it_is_blocked(self) -> None:
        shown = self.show(state="BLOCKED", reason="no quota")

        self.assertIn("BLOCKED: no quota", shown)
