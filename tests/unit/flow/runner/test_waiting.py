import dataclasses

from orch.flow.runner import waiting
from orch.flow.state import submit
from tests import base
from tests.functional.db import base as values


class StaleReasonTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.asked = values.make_operation()
        stack = values.make_stack()
        self.stack = submit.started_stack(stack, self.asked)

    def test_what_the_stack_says_is_set_right_once_it_goes_on(self) -> None:
        parked = dataclasses.replace(self.stack, status_reason="waiting")

        self.assertTrue(waiting.is_stale(parked, self.asked))
        self.assertFalse(waiting.is_stale(self.stack, self.asked))

    def test_a_stack_with_a_newer_request_is_left_alone(self) -> None:
        other = values.make_operation()
        newer = submit.started_stack(values.make_stack(), other)

        self.assertFalse(waiting.is_stale(newer, self.asked))
