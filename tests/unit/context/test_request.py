from oslo_context import context

from orch.context import request
from tests import base


class RequestContextTest(base.TestCase):
    def test_the_trust_of_a_token_goes_with_it_and_is_not_stored(self) -> None:
        asked = request.RequestContext(project_id="p", auth_token="secret")
        asked.trust = {"id": "t1", "trustee_id": "u1"}

        there = request.RequestContext.from_dict(asked.to_dict())
        stored = asked.to_stored()

        self.assertEqual(asked.trust, there.trust)
        self.assertNotIn("trust", stored)
        self.assertIsNone(request.RequestContext.from_stored(stored).trust)

    def test_what_it_depends_on_travels_and_is_not_stored(self) -> None:
        asked = request.RequestContext(project_id="p")
        asked.address = request.StackAddress("web", "s1")
        asked.condition = request.RequestCondition("s1", ("r1", "r2"))
        asked.repeat = request.IdempotencyKey("key", "digest")

        there = request.RequestContext.from_dict(asked.to_dict())
        again = request.RequestContext.from_stored(asked.to_stored())

        self.assertEqual(asked.address, there.address)
        self.assertEqual(asked.condition, there.condition)
        self.assertEqual(asked.repeat, there.repeat)
        self.assertIsNone(again.address)
        self.assertIsNone(again.condition)
        self.assertIsNone(again.repeat)

    def test_an_override_travels_and_is_stored(self) -> None:
        asked = request.RequestContext(project_id="p")
        asked.override_reason = "it burns"

        there = request.RequestContext.from_dict(asked.to_dict())
        again = request.RequestContext.from_stored(asked.to_stored())

        self.assertEqual("it burns", there.override_reason)
        self.assertEqual("it burns", again.override_reason)
        self.assertIn("override_reason", asked.depends_on)

    def test_what_its_calls_have_waited_stays_where_they_wait(self) -> None:
        asked = request.RequestContext(project_id="p")
        asked.waiting = request.CallWaiting(2.0)

        there = request.RequestContext.from_dict(asked.to_dict())
        again = request.RequestContext.from_stored(asked.to_stored())

        self.assertIsNone(there.waiting)
        self.assertIsNone(again.waiting)

    def test_it_stands_in_the_log_while_it_is_asked_to(self) -> None:
        one = request.RequestContext(request_id="req-1")
        two = request.RequestContext(request_id="req-2")
        self.assertIsNone(context.get_current())

        with one.logged():
            with two.logged():
                self.assertIs(two, context.get_current())
            self.assertIs(one, context.get_current())
        self.assertIsNone(context.get_current())

        one.begin_logging()
        self.assertIs(one, context.get_current())
        request.end_logging()
        self.assertIsNone(context.get_current())
