"""Types of resources that not everybody may have."""

import requests

from tests.functional import test_published_cases as cases

template = cases.template


class TypeRightTests(cases.PublishedCaseTestCase):
    def ask_as(
        self, roles: str, method: str, path: str, body: object = None
    ) -> requests.Response:
        return requests.request(
            method,
            f"{self.client.endpoint}{path}",
            json=body,
            headers={"X-Roles": roles},
            timeout=60,
        )

    def test_they_are_listed_for_these_alone(self) -> None:
        for roles, sees in (("member", False), ("admin", True)):
            listed = self.ask_as(roles, "GET", "/resource_types").json()
            for name in ("OS::Nova::Flavor", "OS::Keystone::Project"):
                self.assertEqual(
                    sees, name in listed["resource_types"], (roles, name)
                )
            self.assertIn("OS::Heat::Value", listed["resource_types"])

    def test_nobody_else_makes_one(self) -> None:
        flavor = {
            "type": "OS::Nova::Flavor",
            "properties": {"ram": 1, "vcpus": 1},
        }
        for path in ("/stacks", "/stacks/preview"):
            answer = self.ask_as(
                "member",
                "POST",
                path,
                {"stack_name": "flavored", "template": template(f=flavor)},
            )

            self.assertEqual(403, answer.status_code, answer.text)
            error = answer.json()["error"]
            self.assertEqual("Forbidden", error["type"])
            self.assertIn("OS::Nova::Flavor", error["message"])

    def test_one_far_below_is_one_as_well(self) -> None:
        files = {
            "kid.yaml": "{heat_template_version: 2021-04-16, resources:"
            " {p: {type: OS::Keystone::Project}}}"
        }
        answer = self.ask_as(
            "member",
            "POST",
            "/stacks",
            {
                "stack_name": "deep",
                "template": template(kid={"type": "kid.yaml"}),
                "files": files,
            },
        )

        self.assertEqual(403, answer.status_code, answer.text)
