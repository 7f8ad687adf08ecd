"""What types stand for, where the environment of a stack is not shown."""

import typing

from heatclient import exc

from orch.search import document
from orch_search_heat.tests.unit import heats

_CANARY = "canary-environment-5b2c"
_ROOT = "11111111-1111-4111-8111-111111111111"
_KID = "22222222-2222-4222-8222-222222222222"


def _refuse(stack_id: str) -> typing.NoReturn:
    raise exc.HTTPForbidden


def _notify_nothing(stack_id: str) -> None:
    return None


class EnvironmentTest(heats.TestCase):
    def put(self, type_name: str) -> None:
        self.heat.put(
            _ROOT,
            f"""
            resources: {{word: {{type: "{type_name}"}}}}
            outputs: {{o: {{value: {{get_attr: [word, value]}}}}}}
            """,
            heats.row("word", type_name, attributes={"value": _CANARY}),
            outputs=[{"output_key": "o", "output_value": _CANARY}],
        )

    def test_s3_a_type_may_stand_for_a_secret(self) -> None:
        for environment in (_refuse, _notify_nothing):
            self.heat.environment = environment  # type: ignore[assignment]
            self.put("My::Secret")

            told = self.read_tree()

            self.assertNotIn(_CANARY, repr(told))
            self.assertEqual(2, len(told.documents))
            self.assertEqual(document.UNKNOWN_REDACTION, told.redacted)

    def test_types_of_a_service_are_what_they_are(self) -> None:
        self.heat.environment = _refuse  # type: ignore[assignment]
        self.put("OS::Nova::Server")

        self.assertIn(_CANARY, repr(self.read_tree()))

    def test_s3_nor_is_it_told_by_the_stack_around(self) -> None:
        self.heat.put(
            _ROOT,
            """
            resources: {kid: {type: kid.yaml}}
            outputs: {o: {value: {get_attr: [kid, value]}}}
            """,
            heats.row(
                "kid", "kid.yaml", inner=_KID, attributes={"value": _CANARY}
            ),
            outputs=[{"output_key": "o", "output_value": _CANARY}],
        )
        self.heat.put(
            _KID,
            "resources: {word: {type: My::Secret}}",
            heats.row("word", "My::Secret", attributes={"value": _CANARY}),
            parent=_ROOT,
        )

        def only_the_root(stack_id: str) -> heats.Json:
            if stack_id != _ROOT:
                raise exc.HTTPForbidden
            return {}

        self.heat.environment = only_the_root  # type: ignore[method-assign]

        self.assertNotIn(_CANARY, repr(self.read_tree()))
