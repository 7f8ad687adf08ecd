from orch.resources.heat import delay
from tests import base
from tests.unit.resources import contexts

KIND = delay.Delay


class DelayTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = contexts.FakeClock()
        self.plugin = KIND(contexts.options(), self.clock)

    def test_it_waits_while_it_is_made_and_not_while_removed(self) -> None:
        context = contexts.make(KIND, min_wait=3)

        self.assertEqual(context.physical_name, self.plugin.create(context))
        pending = self.plugin.is_created(context)
        assert pending is not None
        self.assertEqual(3, pending.after_s)
        self.clock.time += 3
        self.assertIsNone(self.plugin.is_created(context))
        self.assertIsNone(self.plugin.is_deleted(context))

    def test_it_waits_in_the_actions_named(self) -> None:
        context = contexts.make(KIND, min_wait=3, actions=["DELETE"])

        self.assertIsNone(self.plugin.is_created(context))
        self.assertIsNotNone(self.plugin.is_deleted(context))

    def test_it_waits_while_it_is_put_to_rest_and_woken(self) -> None:
        context = contexts.make(
            KIND, min_wait=3, actions=["SUSPEND", "RESUME"]
        )

        self.assertIsNone(self.plugin.is_created(context))
        for watch in (self.plugin.is_suspended, self.plugin.is_resumed):
            pending = watch(context)
            assert pending is not None
            self.assertEqual(3, pending.after_s)
        self.clock.time += 3
        self.assertIsNone(self.plugin.is_suspended(context))
        self.assertIsNone(self.plugin.is_resumed(context))

    def test_to_change_it_takes_no_time(self) -> None:
        context = contexts.make(KIND, min_wait=3)

        self.plugin.update(context, {}, {"min_wait"})

        self.assertIsNone(self.plugin.is_updated(context))

    def test_the_random_part_is_bounded_and_multiplied(self) -> None:
        properties = contexts.complete(
            KIND, {"min_wait": 1, "max_jitter": 2, "jitter_multiplier": 10.0}
        )

        waits = [
            delay.wait_seconds(str(number), "CREATE", properties)
            for number in range(200)
        ]

        self.assertTrue(all(1 <= wait <= 21 for wait in waits))
        self.assertGreater(max(waits), 15)
        self.assertLess(min(waits), 6)

    def test_a_worker_that_takes_over_waits_for_the_same_moment(self) -> None:
        properties = contexts.complete(KIND, {"max_jitter": 100})

        first = delay.wait_seconds("token", "CREATE", properties)

        self.assertEqual(
            first, delay.wait_seconds("token", "CREATE", properties)
        )
        self.assertNotEqual(
            first, delay.wait_seconds("token", "DELETE", properties)
        )

    def test_only_without_a_wait_it_touches_nothing(self) -> None:
        for properties, answer in (
            ({}, True),
            ({"min_wait": 1}, False),
            ({"max_jitter": 1}, False),
        ):
            self.assertEqual(
                answer,
                self.plugin.is_effect_free(
                    contexts.complete(KIND, properties)
                ),
            )

    def test_nothing_of_it_is_ever_left(self) -> None:
        self.assertIsNone(self.plugin.find(contexts.make(KIND)))
