import pathlib

import fixtures
from oslo_config import cfg

from orch import clock
from orch import ids
from orch.conf import notifications
from orch.events import topics
from orch.model import notification
from tests import base


def make(
    kind: str, project_id: str | None = "p1"
) -> notification.Notification:
    return notification.Notification(
        stack_id=ids.StackId("s1"),
        sequence=1,
        event_type=f"orchestration.{kind}",
        priority="info",
        context={},
        payload={"project_id": project_id},
        created_at=clock.Timestamp(0),
    )


class TopicsTest(base.TestCase):
    def read(self, *lines: str) -> dict[str, topics.Topic]:
        conf = cfg.ConfigOpts()
        conf([], default_config_files=[])
        notifications.SECTION.register(conf)
        conf.set_override("topics", ["all", "billing"], "notifications")
        conf.set_override("selection", list(lines), "notifications")
        return {each.name: each for each in topics.read_topics(conf)}

    def refused(self, line: str) -> str:
        error = self.assertRaises(topics.InvalidSelection, self.read, line)
        self.assertIn(f"selection = {line}", error.message)
        return error.message

    def test_an_empty_name_is_left_out(self) -> None:
        file = pathlib.Path(self.useFixture(fixtures.TempDir()).path, "conf")
        file.write_text("[notifications]\ntopics = ,a,,b,\n")
        conf = cfg.ConfigOpts()
        conf([], default_config_files=[str(file)])
        notifications.SECTION.register(conf)

        found = [each.name for each in topics.read_topics(conf)]

        self.assertEqual(["a", "b"], found)

    def test_a_topic_gets_all_by_default(self) -> None:
        found = self.read("billing event_type=*.end")

        self.assertEqual(["all", "billing"], list(found))
        self.assertTrue(found["all"].has(make("stack.create.start")))
        self.assertFalse(found["billing"].has(make("stack.create.start")))
        self.assertTrue(found["billing"].has(make("stack.create.end")))

    def test_type_and_project_must_match_both(self) -> None:
        (_, found) = self.read(
            "billing event_type=*.create.end,*.delete.end project_id=p1,q*"
        ).values()

        for kind, project, expected in (
            ("stack.create.end", "p1", True),
            ("stack.delete.end", "q7", True),
            ("stack.update.end", "p1", False),
            ("stack.create.end", "p2", False),
            ("stack.create.end", None, False),
        ):
            with self.subTest(kind=kind, project=project):
                self.assertEqual(expected, found.has(make(kind, project)))

    def test_one_of_several_selections_is_enough(self) -> None:
        found = self.read(
            "billing event_type=*.end project_id=p1",
            "billing event_type=*.drift.*",
        )["billing"]

        self.assertTrue(found.has(make("stack.create.end")))
        self.assertTrue(found.has(make("stack.drift.cleared", "p2")))
        self.assertFalse(found.has(make("stack.create.end", "p2")))

    def test_a_wrong_selection_is_refused_with_its_form(self) -> None:
        for line, problem in (
            (
                "other event_type=*",
                "'other' is not among topics: all, billing",
            ),
            ("billing", "it has no event_type and no project_id"),
            ("", "it has no event_type and no project_id"),
            ("billing type=*", "'type' must be of: event_type, project_id"),
            ("billing event_type=", "event_type has no pattern"),
            ("billing event_type=,", "event_type has no pattern"),
        ):
            with self.subTest(line=line):
                said = self.refused(line)
                self.assertIn(problem, said)
                self.assertIn("TOPIC event_type=PATTERN", said)
