"""Keys of ours are refused where they mean nothing; others are passed over."""

from orch import errors
from orch.api import body_keys
from orch.api.openapi import bodies
from orch.api.openapi import operations
from tests import base

_STACK = "/stacks/{name}/{stack_id}"


class BodyKeysTest(base.TestCase):
    def refused(self, method: str, path: str, body: object) -> list[str]:
        """Return the fields of the problems with a body."""
        check = body_keys.check_of(method, path)
        error = self.assertRaises(errors.Invalid, check, body)
        return [each.path for each in error.problems]

    def test_each_address_has_its_own_keys(self) -> None:
        for method, path, body in (
            ("POST", "/stacks", {"converge": True}),
            ("POST", "/stacks/preview", {"converge": True}),
            ("PUT", _STACK, {"adopt_missing": "fail"}),
            ("POST", "/validate", {"keep_going": True}),
            ("POST", f"{_STACK}/snapshots", {"external_ids": {}}),
            ("POST", f"{_STACK}/abandon", {"retry": True}),
            ("PUT", f"{_STACK}/drift/policy", {"skip": []}),
        ):
            self.assertEqual(
                list(body), self.refused(method, path, body), path
            )

    def test_all_problems_are_told_at_once(self) -> None:
        body = {"skip": ["a"], "retrry": True, "external_id": {}}

        found = self.refused("POST", "/stacks", body)

        self.assertEqual(["skip", "retrry", "external_id"], found)

    def test_it_looks_into_the_value_of_an_action(self) -> None:
        body = {"suspend": {"keep_goign": True}}

        found = self.refused("POST", f"{_STACK}/actions", body)

        self.assertEqual(["suspend.keep_goign"], found)

    def test_what_is_far_from_ours_is_passed_over(self) -> None:
        check = body_keys.check_of("POST", "/stacks")
        for key in ("owner", "id", "tag", "step", "size", "file", "timeout"):
            check({"stack_name": "a", key: 1})
        check({"stack_name": "a", "converge": None})
        check([])

    def test_what_has_any_shape_is_not_looked_into(self) -> None:
        body_keys.check_of("POST", f"{_STACK}/resources/{{resource}}/signal")(
            {"converge": True}
        )

    def test_each_key_of_ours_has_a_meaning_somewhere(self) -> None:
        known = {
            key
            for each in operations.TABLE.values()
            for key in dict(each.body or {}).get("properties", {})  # type: ignore[call-overload]
        }

        self.assertLessEqual(bodies.OWN, known)
