"""Paths on the disk of a worker or of the API, wherever a request has one."""

import json
import os
import pathlib
import typing

from tests.support import rest
from tests.support import serving

Json = dict[str, typing.Any]

_SECRET = "canary-7f3a9c"


def _template(resource: Json, **more: object) -> Json:
    return {
        "heat_template_version": "2021-04-16",
        "resources": {"a": resource},
        **more,
    }


class WorkerPathTests(serving.ServerTestCase):
    """The file is there, and can be read by the server.

    :ivar path: where
    """

    defaults = serving.options()

    def setUp(self) -> None:
        super().setUp()
        self.name = self.id().rsplit(".", 1)[-1].replace("_", "-")
        self.directory = self.make_directory()
        self.path = self.directory / "canary.yaml"
        value = {"type": "OS::Heat::Value", "properties": {"value": _SECRET}}
        self.path.write_text(json.dumps(_template(value)))

    def bodies(self, path: str) -> list[Json]:
        """Return requests for a stack that name a path, each elsewhere."""
        none = _template({"type": "OS::Heat::None"})
        value = {"get_file": path}
        aws = {
            "AWSTemplateFormatVersion": "2010-09-09",
            "Resources": {
                "a": {
                    "Type": "AWS::CloudFormation::Stack",
                    "Properties": {"TemplateURL": path},
                }
            },
        }
        return [
            {"template_url": path},
            {"template": _template({"type": path})},
            {
                "template": _template(
                    {"type": "OS::Heat::Value", "properties": {"value": value}}
                )
            },
            {
                "template": _template({"type": "Mine"}),
                "environment": {"resource_registry": {"Mine": path}},
            },
            {"template": none, "environment_files": [path]},
            {"template": aws},
            {
                "template": _template(
                    {
                        "type": "OS::Heat::Stack",
                        "properties": {"template": value},
                    }
                )
            },
        ]

    def test_none_is_read_for_a_stack(self) -> None:
        for path in (str(self.path), self.path.as_uri()):
            for number, body in enumerate(self.bodies(path)):
                request = {"stack_name": f"{self.name}-{number}", **body}
                status, answer = self.ask("/stacks", request)

                self.assertIn(status, (400, 404), body)
                self.assertNotIn(_SECRET, answer)
                for door in ("/stacks/preview", "/validate"):
                    self.assertNotIn(_SECRET, self.ask(door, request)[1])

    def ask(self, door: str, body: Json) -> tuple[int, str]:
        """Return status and text of an answer."""
        try:
            return 200, json.dumps(self.client.ask("POST", door, body))
        except rest.RefusedError as error:
            return error.status, json.dumps(error.body)

    def test_certificates_are_no_place_to_look_for_files(self) -> None:
        os.mkfifo(self.directory / "fifo")
        places = (
            self.path,
            self.directory,
            self.directory / "fifo",
            self.directory / "nothing",
        )
        for data in (None, {"resources": {"a": "1"}}):
            found = {self.refused(place, data) for place in places}

            self.assertEqual(1, len(found), found)
            self.assertIn("[http_resource] ca_dir", found.pop())

    def refused(self, place: pathlib.Path, adopted: Json | None) -> str:
        """Return the error of a creation or adoption with certificates."""
        template = _template(
            {
                "type": "Orch::HTTP::Resource",
                "properties": {
                    "url": "https://127.0.0.1:1",
                    "create": {},
                    "tls": {"ca_file": str(place)},
                },
            }
        )
        body: Json = {"stack_name": self.name, "template": template}
        if adopted is not None:
            data = {**adopted, "template": template}
            body = {"stack_name": self.name, "adopt_stack_data": data}
        error = self.assertRaises(
            rest.RefusedError, self.client.ask, "POST", "/stacks", body
        )
        self.assertEqual(400, error.status, error.message)
        return error.message
