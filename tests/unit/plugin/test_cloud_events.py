import typing

from orch import ids
from orch.plugin import cloud_events
from orch.plugin import sink
from tests import base

STACK: typing.Final = "0d2f7a4e-8f5b-4c1d-9a37-5b8e1d3f7a2c"


def make(name: str, physical_id: str) -> sink.SinkEvent:
    event_id = ids.event_id(ids.StackId(STACK), 18)
    return sink.SinkEvent(
        id=event_id,
        stack_id=STACK,
        sequence=18,
        body={
            "timestamp": "2026-11-20T10:00:00Z",
            "version": "0.1",
            "type": "os.heat.event",
            "id": event_id,
            "payload": {
                "stack_id": STACK,
                "stack_name": "db",
                "path": "web/db",
                "project_id": "p1",
                "resource_name": name,
                "physical_resource_id": physical_id,
                "resource_action": "CREATE",
                "resource_status": "IN_PROGRESS",
            },
        },
    )


class CloudEventsTest(base.TestCase):
    def test_it_has_what_the_specification_requires(self) -> None:
        event = make("server", "i-1")

        found = cloud_events.convert(event)

        self.assertEqual(
            {
                "specversion": "1.0",
                "id": event.id,
                "source": f"/v1/p1/stacks/{STACK}",
                "type": "os.heat.event.create.in_progress",
                "subject": "web/db/server",
                "time": "2026-11-20T10:00:00Z",
                "sequence": "000000000018",
                "datacontenttype": "application/json",
                "data": event.body["payload"],
            },
            found,
        )
        # Names of attributes are lower-case letters and digits.
        self.assertTrue(all(each.isalnum() for each in found))

    def test_an_event_of_the_stack_itself_is_about_its_path(self) -> None:
        found = cloud_events.convert(make("db", STACK))

        self.assertEqual("web/db", found["subject"])

    def test_a_resource_may_have_the_name_of_its_stack(self) -> None:
        found = cloud_events.convert(make("db", "i-1"))

        self.assertEqual("web/db/db", found["subject"])

    def test_heats_body_is_the_default(self) -> None:
        event = make("server", "i-1")
        for declared, is_other in (
            ({}, False),
            ({"format": "heat"}, False),
            ({"format": "cloudevents"}, True),
        ):
            body = cloud_events.body_of(declared, event)
            self.assertEqual(is_other, "specversion" in body)

    def test_another_format_is_a_fault(self) -> None:
        for given in ("CloudEvents", "", None, 1, ["heat"]):
            with self.subTest(given=given):
                (fault,) = cloud_events.find_faults({"format": given})
                self.assertEqual("format", fault.key)
                self.assertIn("heat, cloudevents", fault.advice)
        self.assertEqual([], list(cloud_events.find_faults({})))
