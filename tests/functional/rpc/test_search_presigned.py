"""S3: addresses that need no account are in no document of the engine."""

from tests.functional.rpc import searchable
from tests.unit.model import test_presigned

_ADDRESS = test_presigned.OURS
_TEXT = f"""
heat_template_version: 2018-08-31
description: call {_ADDRESS}
resources:
  web:
    type: Test::Server
    description: call {_ADDRESS}
    properties: {{flavor: "{_ADDRESS}"}}
outputs:
  plain: {{value: {{get_attr: [web, address]}}}}
  deep: {{value: {{get_attr: [web, port]}}}}
  made: {{value: {{list_join: ["'", [curl, {{get_attr: [web, address]}}]]}}}}
  fine: {{value: {{get_attr: [web, port, 0, number]}}}}
"""


class PresignedTest(searchable.TestCase):
    def test_s3_none_is_told(self) -> None:
        stack_id = self.make(_TEXT)
        self.set_stack(stack_id, status_reason=f"It said {_ADDRESS} again")
        self.put_resource(
            stack_id,
            "web",
            properties={"flavor": _ADDRESS, "peer": "x"},
            attributes={
                "address": _ADDRESS,
                "port": [{"number": 80, "cli": f"curl -X POST '{_ADDRESS}'"}],
            },
            physical_id=_ADDRESS,
            status_reason=f"at {_ADDRESS}",
        )

        found = self.read(stack_id)

        self.assertNotIn("canary-sig", repr(found))
        stack, web = found["documents"]
        self.assertEqual("It said ****** again", stack["reason"])
        self.assertEqual("call ******", stack["description"])
        self.assertIn("description: call ******", stack["texts"]["template"])
        self.assertEqual([80], stack["fields"]["outputs.fine"])
        self.assertEqual([80], web["fields"]["attributes.port.number"])
        self.assertEqual(["x"], web["fields"]["properties.peer"])
        self.assertEqual("at ******", web["reason"])
        self.assertEqual("", web["physical_id"])
