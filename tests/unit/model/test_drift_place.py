import testtools
from hypothesis import given
from hypothesis import strategies as st

from orch.model import drift_place
from orch.model import drift_policy
from orch.model import observation

POLICY = observation.Policy
VALUES = st.recursive(
    st.integers(0, 2),
    lambda below: (
        st.lists(below, max_size=2)
        | st.dictionaries(st.sampled_from("ab"), below, max_size=2)
    ),
    max_leaves=6,
)


def sort(
    expected: object, live: object, **policies: str
) -> drift_policy.SortedDrift:
    stored = {"resources": {"r": {"properties": policies}}}
    return drift_policy.Policies(stored).sort(
        "r",
        observation.Difference(property="p", expected=expected, live=live),
    )


class DriftPlaceTestCase(testtools.TestCase):
    def test_places_are_named_as_reports_show_them(self) -> None:
        value = {"a": [{"b": 1}], "c.d": None}

        self.assertEqual(
            ["p", "p.a", "p.a.0", "p.a.0.b", "p.c.d"],
            list(drift_place.list_names("p", value)),
        )

    def test_the_narrowest_places_differ(self) -> None:
        found = drift_place.list_differing(
            ("p",), {"a": [1, 2], "b": [1], "c": 1}, {"a": [1, 3], "b": []}
        )

        self.assertEqual(
            [("p", "p.a", "p.a.1"), ("p", "p.b"), ("p", "p.c")], list(found)
        )

    def test_elements_of_lists_are_matched(self) -> None:
        found = drift_place.list_differences(
            "p",
            {"a": [1, {"b": 1}, 3], "c": [1, 2], "d": 1},
            {"a": [1, 3], "c": [1, 5], "e": None},
        )

        self.assertEqual(
            [
                ("p.a", "removed", 1, {"b": 1}, None),
                ("p.c.1", "changed", None, 2, 5),
                ("p.d", "changed", None, 1, None),
                ("p.e", "changed", None, None, None),
            ],
            [
                (each.name, each.kind, each.index, each.expected, each.live)
                for each in found
            ],
        )

    def test_long_lists_are_one_difference(self) -> None:
        long = list(range(2000))

        (found,) = drift_place.list_differences("p", long, long[1:])

        self.assertEqual(("p", "changed"), (found.name, found.kind))

    def test_lists_that_take_long_to_match_are_one_difference(self) -> None:
        equal = ["x"] * 1000
        mixed = [part for n in range(499) for part in ("x", n)]

        (found,) = drift_place.list_differences("p", equal, mixed)

        self.assertEqual(
            ("p", "changed", equal, mixed),
            (found.name, found.kind, found.expected, found.live),
        )

    def test_a_list_of_a_thousand_is_matched(self) -> None:
        names = [str(number) for number in range(1000)]

        (found,) = drift_place.list_differences("p", names, names[1:])

        self.assertEqual(("removed", 0), (found.kind, found.index))

    def test_some_maps_are_compared_as_a_whole(self) -> None:
        later = {"known_later": True}

        found = drift_place.list_differences(
            "p",
            {"a": {"b": 1}, "c": [{"d": 1}]},
            {"a": later, "c": [later]},
            lambda value: value == later,
        )

        self.assertEqual(
            [("p.a", {"b": 1}, later), ("p.c.0", {"d": 1}, later)],
            [(each.name, each.expected, each.live) for each in found],
        )

    def test_a_map_that_is_missing_is_compared_key_by_key(self) -> None:
        found = drift_place.list_differing(("p",), {}, {"a": {"b": 1, "c": 2}})

        self.assertEqual(["p.a.b", "p.a.c"], [names[-1] for names in found])

    @given(VALUES, VALUES)
    def test_a_value_is_made_of_either_at_each_place(
        self, expected: object, live: object
    ) -> None:
        for takes_live, whole in ((True, live), (False, expected)):
            self.assertEqual(
                whole,
                drift_place.combine_values(
                    ("p",), expected, live, lambda _, chosen=takes_live: chosen
                ),
            )

    def test_drift_is_divided_by_the_policies_of_its_places(self) -> None:
        found = sort(
            {"a": 1, "b": 1, "c": 1, "d": 1},
            {"a": 2, "b": 2, "c": 2, "d": 2},
            **{"p.a": "accept", "p.b": "ignore", "p.c": "adopt"},
        )

        assert found.accepted is not None
        assert found.counted is not None
        self.assertEqual({"a": 2, "b": 1, "c": 1, "d": 1}, found.accepted.live)
        self.assertEqual(found.accepted.live, found.counted.expected)
        self.assertEqual({"a": 2, "b": 1, "c": 2, "d": 2}, found.counted.live)
        self.assertIs(POLICY.ADOPT, found.counted.policy)
        self.assertEqual((), found.blocked)

    def test_a_repair_has_to_be_the_policy_of_all_that_drifted(self) -> None:
        desired = {"a": 1, "b": 1}

        repaired = sort(desired, {"a": 2, "b": 1}, **{"p.a": "repair"})
        blocked = sort(desired, {"a": 2, "b": 2}, **{"p.a": "repair"})

        assert repaired.counted is not None
        assert blocked.counted is not None
        self.assertIs(POLICY.REPAIR, repaired.counted.policy)
        self.assertIs(POLICY.REPORT, blocked.counted.policy)
        self.assertEqual(("p.b",), blocked.blocked)

    def test_without_a_place_a_property_is_one(self) -> None:
        for policy, counted, accepted in (
            ("repair", True, False),
            ("accept", False, True),
            ("ignore", False, False),
        ):
            found = sort({"a": 1}, {"a": 2}, p=policy)

            self.assertEqual(counted, found.counted is not None)
            self.assertEqual(accepted, found.accepted is not None)
