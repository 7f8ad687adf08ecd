from orch.plugin import call_context
from orch.resources.heat import test_resource
from tests import base
from tests.unit.resources import contexts

KIND = test_resource.TestResource


class TestResourceTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = contexts.FakeClock()
        self.plugin = KIND(contexts.options(), self.clock)

    def test_plain_it_is_made_at_once_under_its_physical_name(self) -> None:
        context = contexts.make(KIND)

        self.assertEqual(context.physical_name, self.plugin.create(context))
        self.assertIsNone(self.plugin.is_created(context))
        self.assertIsNone(self.plugin.is_deleted(context))

    def test_output_is_the_value(self) -> None:
        context = contexts.make(KIND, value="v")

        self.assertEqual(
            {"output": "v"}, self.plugin.read_attributes(context, {"output"})
        )

    def test_only_waits_and_failures_make_it_touch_the_world(self) -> None:
        self.assertTrue(
            self.plugin.is_effect_free(contexts.complete(KIND, {}))
        )
        for properties in (
            {"fail": True},
            {"wait_secs": 1},
            {"wait_secs": -1},
            {"attr_wait_secs": 1},
            {"action_wait_secs": {"delete": 1}},
        ):
            self.assertFalse(
                self.plugin.is_effect_free(contexts.complete(KIND, properties))
            )

    def test_a_failure_without_a_wait_makes_nothing(self) -> None:
        error = self.assertRaises(
            test_resource.Failed,
            self.plugin.create,
            contexts.make(KIND, fail=True),
        )

        self.assertEqual("Test Resource failed thing", str(error))

    def test_a_failure_comes_after_the_wait(self) -> None:
        context = contexts.make(KIND, fail=True, wait_secs=2)

        self.assertEqual(context.physical_name, self.plugin.create(context))
        pending = self.plugin.is_created(context)
        self.assertEqual(
            call_context.Pending(after_s=2, note="waits 2 seconds"), pending
        )
        self.clock.time += 2
        self.assertRaises(
            test_resource.Failed, self.plugin.is_created, context
        )

    def test_removal_never_fails(self) -> None:
        context = contexts.make(KIND, fail=True)

        self.plugin.delete(context)
        self.assertIsNone(self.plugin.is_deleted(context))

    def test_an_actions_own_wait_replaces_the_common_one(self) -> None:
        context = contexts.make(
            KIND, wait_secs=9, action_wait_secs={"create": 0, "update": None}
        )

        self.assertIsNone(self.plugin.is_created(context))
        pending = self.plugin.is_deleted(context)
        assert pending is not None
        self.assertEqual(9, pending.after_s)

    def test_update_replace_makes_a_change_of_value_a_replacement(
        self,
    ) -> None:
        def answer(changed: set[str], is_told: bool) -> bool:
            after = contexts.complete(KIND, {"update_replace": is_told})
            return self.plugin.needs_replacement({}, after, changed)

        self.assertTrue(answer({"value"}, True))
        self.assertTrue(answer({"value", "update_replace"}, True))
        self.assertFalse(answer({"value"}, False))
        self.assertFalse(answer({"update_replace", "fail"}, True))

    def test_a_change_waits_and_fails_as_it_is_told(self) -> None:
        for properties, wait_s in (
            ({"wait_secs": 2}, 2),
            ({"wait_secs": 9, "action_wait_secs": {"update": 2}}, 2),
        ):
            context = contexts.make(KIND, fail=True, **properties)
            self.plugin.update(context, {}, {"value"})
            pending = self.plugin.is_updated(context)
            assert pending is not None
            self.assertEqual(wait_s, pending.after_s)
        self.clock.time += 2
        self.assertRaises(
            test_resource.Failed, self.plugin.is_updated, context
        )

    def test_a_change_without_a_wait_fails_at_once(self) -> None:
        self.assertRaises(
            test_resource.Failed,
            self.plugin.update,
            contexts.make(KIND, fail=True),
            {},
            {"value"},
        )

    def test_it_is_well_and_rests_without_a_wait(self) -> None:
        context = contexts.make(KIND, wait_secs=-1, fail=True)

        self.assertIsNone(self.plugin.check(context))
        self.assertIsNone(self.plugin.is_suspended(context))
        self.assertIsNone(self.plugin.is_resumed(context))

    def test_a_wait_goes_on_where_a_dead_worker_left_it(self) -> None:
        context = contexts.make(KIND, wait_secs=10, started_at=993.0)

        pending = self.plugin.is_created(context)

        assert pending is not None
        self.assertEqual(3.0, pending.after_s)

    def test_a_client_that_it_names_has_no_effect(self) -> None:
        context = contexts.make(
            KIND, client_name="nova", entity_name="servers"
        )

        self.assertEqual(context.physical_name, self.plugin.create(context))

    def test_nothing_of_it_is_ever_left(self) -> None:
        self.assertIsNone(self.plugin.find(contexts.make(KIND)))
