"""What a list says of physical resources that are adopted."""

import collections.abc

import testtools

from orch import errors
from orch.flow.tasks import adopt
from orch.flow.tasks import base
from orch.model import adoption
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import resource
from tests.unit.flow.tasks import test_adopt

ASIS = {"label": "wanted", "size": 1}


class ListedResource(test_adopt.AnsweringResource):
    """Answers a list as a test says, and counts what is read by itself."""

    has_reality = True
    listed: collections.abc.Sequence[call_context.Inspection | None] | None
    reads = 0

    was_listed = False

    def inspect_all(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> collections.abc.Sequence[call_context.Inspection | None] | None:
        return self.listed

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        self.was_listed = given.is_listed
        return super().handle_adopt(context, given)

    def inspect(
        self, context: call_context.Context
    ) -> call_context.Inspection:
        self.reads += 1
        return super().inspect(context)


class ClaimedTwice(test_adopt.NoClaims):
    """A stack of another project owns everything."""

    def check(self, row: object, physical_id: str) -> bool:
        return True


def begin(plugin: ListedResource, *tasks: adopt.AdoptTask) -> list[base.Step]:
    """Begin tasks as the runner does."""
    expected = []
    for each in tasks:
        found = each.expected()
        assert found is not None
        expected.append((each, found[1]))
    adopt.AdoptTask.prepare(plugin, expected)
    return [each.begin() for each in tasks]


def make_plugin(*listed: call_context.Inspection | None) -> ListedResource:
    plugin = ListedResource(None)
    plugin.listed = listed
    plugin.found = ASIS
    return plugin


class ListedTests(testtools.TestCase):
    """A list confirms, and nothing else."""

    def read_alone(self, seen: call_context.Inspection | None) -> base.Step:
        plugin = make_plugin(seen)
        (step,) = begin(plugin, test_adopt.task(plugin))
        self.assertEqual(1, plugin.reads)
        return step

    def test_what_a_list_confirms_is_not_read(self) -> None:
        plugin = make_plugin(call_context.Inspection(reality=ASIS))
        plugin.found = errors.Permanent("it was read")

        (step,) = begin(plugin, test_adopt.task(plugin))

        self.assertEqual(0, plugin.reads)
        self.assertTrue(plugin.was_listed)
        self.assertTrue(step.is_verified)
        self.assertEqual(ASIS, step.baseline)
        self.assertEqual("", step.reason)

    def test_what_a_list_does_not_confirm_is_read(self) -> None:
        for seen in (
            None,
            call_context.Inspection(),
            call_context.Inspection(reality={**ASIS, "label": "other"}),
            call_context.Inspection(
                reality=ASIS, fault=errors.Permanent("failed")
            ),
            call_context.Inspection(
                reality=ASIS, pending=call_context.Pending()
            ),
        ):
            step = self.read_alone(seen)

            self.assertTrue(step.is_verified)
            self.assertEqual("", step.reason)

    def test_a_type_that_lists_nothing_is_read(self) -> None:
        plugin = make_plugin()
        plugin.listed = None

        begin(plugin, test_adopt.task(plugin), test_adopt.task(plugin))

        self.assertEqual(2, plugin.reads)

    def test_a_list_of_another_length_is_no_answer(self) -> None:
        plugin = make_plugin()
        asked = test_adopt.task(plugin)

        self.assertRaises(ValueError, begin, plugin, asked)
        asked.begin()

        self.assertEqual(1, plugin.reads)

    def test_what_another_project_owns_is_read(self) -> None:
        plugin = make_plugin(call_context.Inspection(reality=ASIS))
        plugin.found = reality.Vanished("gone")
        asked = test_adopt.task(plugin)
        asked._resources.claims = ClaimedTwice()

        (step,) = begin(plugin, asked)

        self.assertEqual(1, plugin.reads)
        self.assertFalse(plugin.was_listed)
        self.assertFalse(step.is_verified)

    def test_what_is_adopted_under_another_id_is_read(self) -> None:
        plugin = make_plugin(call_context.Inspection(reality=ASIS))
        plugin.adopted = call_context.AdoptedResource(
            physical_id="other", data={}, metadata={}
        )

        begin(plugin, test_adopt.task(plugin))

        self.assertEqual(1, plugin.reads)

    def test_a_list_is_too_old_for_a_second_attempt(self) -> None:
        plugin = make_plugin(call_context.Inspection(reality=ASIS))
        plugin.adopted = errors.Transient("later")
        asked = test_adopt.task(plugin)

        self.assertRaises(errors.Transient, begin, plugin, asked)
        plugin.adopted = None
        asked.begin()

        self.assertEqual(1, plugin.reads)

    def test_nothing_is_listed_of_what_needs_a_read_or_none(self) -> None:
        plugin = make_plugin()
        for each in (
            test_adopt.task(plugin, physical_id=None),
            test_adopt.task(plugin, adoption.Verify.TAKE),
            test_adopt.task(plugin, adoption.Verify.REFUSE),
            test_adopt.task(plugin, is_at_rest=True),
        ):
            self.assertIsNone(each.expected())


class DefaultTests(testtools.TestCase):
    """Types that only observe."""

    class Observing(resource.Resource):
        type_name = "A::C"
        has_reality = True
        listed: object = None

        def observe(
            self, contexts: collections.abc.Sequence[call_context.Context]
        ) -> collections.abc.Sequence[reality.ListAnswer] | None:
            return self.listed  # type: ignore[return-value]

    def test_what_they_observe_is_what_an_inspection_sees(self) -> None:
        plugin = self.Observing(None)
        plugin.listed = [{"p": 1}, reality.Vanished("gone"), None]

        found = plugin.inspect_all([])

        self.assertEqual(
            [call_context.Inspection(reality={"p": 1}), None, None], found
        )

    def test_one_that_cannot_list_now_inspects_each(self) -> None:
        self.assertIsNone(self.Observing(None).inspect_all([]))

    def test_a_check_of_their_own_is_made_for_each(self) -> None:
        class Checking(self.Observing):
            listed = ({"p": 1},)

            def check(self, context: call_context.Context) -> None:
                return None

        self.assertIsNone(Checking(None).inspect_all([]))
