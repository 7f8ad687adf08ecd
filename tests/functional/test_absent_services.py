"""Resources of services that the catalogue of the cloud does not have."""

import json
import typing

from tests.functional import remote
from tests.support import catalogue
from tests.support import rest

Json = dict[str, typing.Any]

_SHARE: typing.Final = {
    "type": "OS::Manila::Share",
    "properties": {"share_protocol": "NFS", "size": 1},
}
_VALUE: typing.Final = {
    "type": "OS::Heat::Value",
    "properties": {"value": "1"},
}


def _template(**resources: object) -> Json:
    return {"heat_template_version": "2021-04-16", "resources": resources}


class AbsentServicesTests(remote.CloudTestCase):
    def refused(self, method: str, path: str, **body: object) -> str:
        """Return why a request was refused."""
        error = self.assertRaises(
            rest.RefusedError, self.here.ask, method, path, body
        )
        self.assertEqual(
            (400, "ResourceTypeUnavailable"), (error.status, error.type)
        )
        return error.message

    def test_a_stack_of_them_is_refused(self) -> None:
        reason = self.refused(
            "POST",
            "/stacks",
            stack_name=self.name,
            template=_template(share=_SHARE, value=_VALUE),
        )

        self.assertEqual(
            "The cloud has no shared-file-system service, which these resource"
            " types need: OS::Manila::Share (share). Leave these resources"
            " out.",
            reason,
        )
        self.assertEqual([], self.here.get("/stacks", "stacks"))

    def test_a_child_stack_of_them_is_refused(self) -> None:
        reason = self.refused(
            "POST",
            "/stacks",
            stack_name=self.name,
            template=_template(kid={"type": "kid.yaml"}),
            files={"kid.yaml": json.dumps(_template(share=_SHARE))},
        )

        self.assertIn("OS::Manila::Share (share)", reason)

    def test_an_update_that_adds_one_is_refused(self) -> None:
        stack = self.created(_template(value=_VALUE))

        self.refused(
            "PUT", stack.path, template=_template(value=_VALUE, share=_SHARE)
        )

        self.assertEqual({"value"}, set(self.here.resources(stack)))
        self.here.delete(stack)
        self.wait_until_gone(self.here, stack)

    def test_one_that_the_catalogue_has_is_not(self) -> None:
        published = catalogue.Published(
            self.cloud, "manila", "shared-file-system", "http://127.0.0.1:9"
        )
        with published:
            stack = self.here.create(self.name, _template(share=_SHARE))

        self.here.wait(stack, "CREATE_FAILED", timeout_s=60)
        self.here.delete(stack)
