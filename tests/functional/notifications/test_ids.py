"""What services and users make of a hidden value beside properties."""

import json
import pathlib
import typing

from tests.functional.notifications import notification_case
from tests.support import world_templates

Json = notification_case.Json

_PART: typing.Final = "qxzjvwk"
_SECRET: typing.Final = f"north-{_PART}-staple"
_DIGESTED: typing.Final = "a6105c0a611b41b08f1209506350279e"
"""MD5 of ``yes``, the other hidden value."""


def _desired_template(content: str = "") -> Json:
    return {
        **world_templates.template(
            note={
                "type": "Orch::Local::File",
                "properties": {
                    "path": {"str_split": ["-", {"get_param": "word"}, 1]},
                    "content": content,
                },
            },
            digest={
                "type": "Orch::Local::File",
                "properties": {
                    "path": {"digest": ["md5", {"get_param": "more"}]}
                },
            },
            plain={
                "type": "Orch::Local::File",
                "properties": {
                    "path": "ids-plain",
                    "content": {"get_param": "word"},
                },
            },
            thing=world_templates.declare_resource(
                label={"get_resource": "note"}
            ),
        ),
        "description": f"log in with {_SECRET}",
        "parameters": {
            "word": {"type": "string", "hidden": True},
            "more": {"type": "string", "hidden": True, "default": "yes"},
        },
    }


class IdsTests(notification_case.NotificationTestCase):
    notifications: typing.ClassVar[dict[str, object]] = {
        "template": "full",
        "outputs": "true",
        "resources": "true",
    }

    def setUp(self) -> None:
        super().setUp()
        self.stack = self.created(
            _desired_template(),
            tags=f"red,{_SECRET}",
            parameters={"word": _SECRET},
        )
        self.addCleanup(self.remove)

    def remove(self) -> None:
        """Make room for the files of the next test."""
        self.client.delete(self.stack)
        self.client.wait(self.stack, "DELETE_COMPLETE")

    def check(self, *last: str) -> list[Json]:
        """Return what is heard, with nothing in it that is hidden."""
        heard = self.hear(self.stack, *last)
        for each in heard:
            for secret in (_PART, _DIGESTED):
                self.assertNotIn(
                    secret, json.dumps(each.payload), each.event_type
                )
        return [each.payload for each in heard]

    def test_an_id_that_is_made_of_a_hidden_value_is_covered(self) -> None:
        heard = self.check("create.end")

        shown = {
            each["resource_name"]: each["physical_resource_id"]
            for each in heard
            if each.get("state") == "CREATE_COMPLETE"
            and "resource_name" in each
        }
        self.assertEqual(
            ("******", "******", "ids-plain"),
            (shown["note"], shown["digest"], shown["plain"]),
        )
        self.assertRegex(shown["thing"], "^thing-")

    def test_descriptions_and_tags_are_covered(self) -> None:
        ended = self.check("create.end")[-1]

        self.assertEqual("log in with ******", ended["description"])
        self.assertEqual(["red", "******"], ended["tags"])

    def test_so_are_ids_of_what_has_failed(self) -> None:
        place = pathlib.Path(self.system.root) / _PART
        place.unlink()
        place.mkdir()
        self.addCleanup(place.rmdir)

        self.update(
            self.stack,
            _desired_template("another"),
            parameters={"word": _SECRET},
        )

        heard = self.check("update.error")
        self.client.wait(self.stack, "UPDATE_FAILED")
        (failed,) = heard[-1]["failed_resources"]
        self.assertEqual(
            ("note", "******"), (failed["name"], failed["physical_id"])
        )
