"""What is done with an answer to an unknown outcome before it counts."""

import collections.abc

from orch import errors
from orch.flow.tasks import answers
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import resource
from tests import base
from tests.unit.resources import contexts


class Shown(resource.Resource):
    """A type whose service answers what a test says."""

    type_name = "A::B"

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def get_reality(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object] | None:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


class LookTests(base.TestCase):
    def look(self, answer: object) -> str:
        context = contexts.make(Shown, physical_id="thing")
        return answers.look(Shown(answer), context)

    def test_what_is_seen_or_cannot_be_read_is_not_doubted(self) -> None:
        self.assertEqual("", self.look({}))
        self.assertEqual("", self.look(None))

    def test_what_does_not_exist_is_asked_for_again(self) -> None:
        error = self.assertRaises(
            call_context.OutcomeUnknown,
            self.look,
            reality.Vanished("404"),
        )

        self.assertIn("nothing exists under the id thing", error.message)

    def test_what_the_service_does_not_show_is_told(self) -> None:
        self.assertIn("not seen: no", self.look(errors.Permanent("no")))
        self.assertIn("not seen: odd", self.look(ValueError("odd")))

    def test_what_may_be_seen_later_is_tried_again(self) -> None:
        self.assertRaises(
            errors.Transient, self.look, errors.Transient("busy")
        )


class AdviceTests(base.TestCase):
    def test_it_names_the_token_and_the_command(self) -> None:
        context = contexts.make(Shown)

        error = answers.with_advice(
            call_context.OutcomeUnknown("nobody knows."), context
        )

        self.assertIn("nobody knows; look in the service", error.message)
        self.assertIn(context.token, error.message)
        self.assertIn("orch resource outcome", error.message)
