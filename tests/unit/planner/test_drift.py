"""What counts as drift, and how much of a resource could be compared."""

import dataclasses
import types
import typing

import hypothesis
from hypothesis import strategies
from oslo_config import cfg

from orch import clock
from orch import errors
from orch import ids
from orch.model import observation
from orch.model import resource as model_resource
from orch.model import states
from orch.planner import drift
from orch.plugin import no_physical_resource
from orch.plugin import reality
from orch.plugin import registry
from orch.plugin import resource
from orch.plugin import schema
from tests import base

State = observation.State
_NAMES = ("one", "two", "three")
Values = dict[str, typing.Any]


class SampleResource(resource.Resource):
    """A type that compares texts without regard to case."""

    type_name = "Test::Drift::Thing"
    has_reality = True
    properties = tuple(
        schema.Property(name, schema.Type.STRING, "A text.") for name in _NAMES
    )

    def normalise(self, name: str, value: object) -> object:
        return value.lower() if isinstance(value, str) else value


class Mute(SampleResource):
    type_name = "Test::Drift::Mute"
    has_reality = False


class Broken(SampleResource):
    type_name = "Test::Drift::Broken"

    def normalise(self, name: str, value: object) -> object:
        raise ValueError(f"secret of {name}")


class Nothing(no_physical_resource.NoPhysicalResource):
    type_name = "Test::Drift::Nothing"


class Stack(SampleResource):
    type_name = "Test::Drift::Stack"
    is_nested_stack = True


def row(
    properties: Values, baseline: Values | None = None, **more: object
) -> model_resource.Resource:
    return model_resource.Resource(
        id=ids.ResourceId("0f1e"),
        stack_id=ids.StackId("s"),
        name="thing",
        type_name="Test::Drift::Thing",
        physical_id="p",
        properties=properties,
        baseline=baseline,
        created_at=0.0,
        updated_at=0.0,
        **typing.cast(Values, more),
    )


def find(
    kind: type[resource.Resource],
    properties: Values,
    answer: reality.Answer,
    baseline: Values | None = None,
) -> observation.Drift:
    types = registry.ResourceTypes.of([kind], cfg.ConfigOpts())
    made = dataclasses.replace(
        row(properties, baseline, action=states.Action.CREATE),
        type_name=kind.type_name,
    )
    return drift.find_drift(types, made, answer)


class LastingDriftTests(base.TestCase):
    """The known drift of two properties, of which one is shown now."""

    def compare(
        self,
        kind: type[resource.Resource],
        answer: reality.Answer = types.MappingProxyType({"one": "b"}),
    ) -> drift.ObservedResource:
        kinds = registry.ResourceTypes.of([kind], cfg.ConfigOpts())
        properties = {"one": "a", "two": "a"}
        known = observation.Observation(
            root_id=ids.StackId("s"),
            stack_id=ids.StackId("s"),
            resource_id=ids.ResourceId("0f1e"),
            state=State.DRIFTED,
            differences=tuple(
                observation.Difference(property=name, expected="a", live="b")
                for name in properties
            ),
            observed_at=clock.Timestamp(1.0),
            drifted_at=clock.Timestamp(1.0),
        )
        return drift.Comparison(
            known.root_id, kinds, {}, clock.Timestamp(2.0)
        ).compare(
            dataclasses.replace(
                row(properties, action=states.Action.CREATE),
                type_name=kind.type_name,
            ),
            "thing",
            answer,
            known,
        )

    def test_of_a_reading_that_is_compared(self) -> None:
        found = self.compare(SampleResource).after

        self.assertIs(State.DRIFTED, found.state)
        self.assertEqual(
            ["one", "two"], [each.property for each in found.differences]
        )

    def test_only_what_a_plug_in_says_counts_as_its_error(self) -> None:
        failed = errors.Unavailable("no answer")
        broken = self.compare(Broken)
        self.assertTrue(broken.has_error)
        self.assertTrue(self.compare(SampleResource, failed).has_error)

        for found in (
            self.compare(SampleResource),
            self.compare(SampleResource, None),
            self.compare(Mute, None),
        ):
            self.assertFalse(found.has_error, found.after.reason)

    def test_of_a_reading_that_cannot_be_compared(self) -> None:
        found = self.compare(Broken).after

        self.assertIs(State.UNKNOWN, found.state)
        self.assertIn("cannot be compared", found.reason)
        self.assertEqual(
            ["one", "two"], [each.property for each in found.differences]
        )


_TEXTS = strategies.sampled_from(["a", "A", "b", None])
_MAPS = strategies.dictionaries(strategies.sampled_from(_NAMES), _TEXTS)


class DriftTests(base.TestCase):
    def test_the_baseline_counts_before_what_was_given(self) -> None:
        found = find(
            SampleResource,
            {"one": "given"},
            {"one": "own form"},
            {"one": "own form"},
        )

        self.assertIs(State.IN_SYNC, found.state)

    def test_without_a_baseline_what_was_given_counts(self) -> None:
        found = find(SampleResource, {"one": "given"}, {"one": "other"})

        self.assertIs(State.DRIFTED, found.state)
        self.assertEqual(
            (
                observation.Difference(
                    property="one", expected="given", live="other"
                ),
            ),
            found.differences,
        )

    def test_what_nobody_gave_and_no_baseline_holds_is_not_compared(
        self,
    ) -> None:
        found = find(SampleResource, {"one": None}, {"one": "a", "two": "b"})

        self.assertIs(State.IN_SYNC, found.state)
        self.assertEqual((0, 0), (found.compared, found.given))

    def test_like_is_compared_with_like(self) -> None:
        found = find(SampleResource, {"one": "Text"}, {"one": "tEXT"})

        self.assertIs(State.IN_SYNC, found.state)

    def test_what_has_vanished_has_drifted_as_a_whole(self) -> None:
        found = find(
            SampleResource, {"one": "a"}, reality.Vanished("it is gone")
        )

        self.assertIs(State.DRIFTED, found.state)
        self.assertTrue(found.is_vanished)
        self.assertEqual((1, 1), (found.compared, found.given))

    def test_what_could_not_be_read_is_unknown_with_the_reason(self) -> None:
        found = find(
            SampleResource, {"one": "a"}, errors.Transient("no answer")
        )

        self.assertIs(State.UNKNOWN, found.state)
        self.assertEqual("no answer", found.reason)
        self.assertEqual((0, 1), (found.compared, found.given))

    def test_a_type_that_cannot_tell_is_unknown(self) -> None:
        for kind, answer in ((Mute, {"one": "b"}), (SampleResource, None)):
            found = find(kind, {"one": "a"}, answer)

            self.assertIs(State.UNKNOWN, found.state)
            self.assertIn("cannot read", found.reason)

    def test_a_plug_in_that_fails_hides_no_value_and_stops_nobody(
        self,
    ) -> None:
        found = find(Broken, {"one": "a"}, {"one": "b"})

        self.assertIs(State.UNKNOWN, found.state)
        self.assertNotIn("secret", found.reason)

    def test_what_is_nothing_by_itself_cannot_drift(self) -> None:
        for kind in (Nothing, Stack):
            found = find(kind, {"one": "a"}, {"one": "b"})

            self.assertIs(State.NOTHING, found.state)

    @hypothesis.given(given=_MAPS, live=_MAPS)
    def test_a_thing_that_is_as_its_baseline_has_not_drifted(
        self, given: Values, live: Values
    ) -> None:
        found = find(SampleResource, given, live, dict(live))

        self.assertIs(State.IN_SYNC, found.state)

    @hypothesis.given(given=_MAPS, live=_MAPS, baseline=_MAPS)
    def test_each_difference_is_one(
        self, given: Values, live: Values, baseline: Values
    ) -> None:
        plugin = SampleResource(cfg.ConfigOpts())
        found = find(SampleResource, given, live, baseline)

        self.assertEqual(bool(found.differences), found.state is State.DRIFTED)
        for each in found.differences:
            expected = baseline.get(each.property, given.get(each.property))
            self.assertEqual(expected, each.expected)
            self.assertEqual(live[each.property], each.live)
            self.assertNotEqual(
                plugin.normalise(each.property, each.expected),
                plugin.normalise(each.property, each.live),
            )
        self.assertLessEqual(0, found.compared)
        self.assertLessEqual(found.compared, found.given)

    @hypothesis.given(given=_MAPS, live=_MAPS, baseline=_MAPS)
    def test_what_is_not_told_never_drifts(
        self, given: Values, live: Values, baseline: Values
    ) -> None:
        found = find(SampleResource, given, live, baseline)

        self.assertLessEqual(
            {e.property for e in found.differences}, set(live)
        )
