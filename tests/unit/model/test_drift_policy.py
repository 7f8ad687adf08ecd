import fnmatch

import testtools
from hypothesis import given
from hypothesis import strategies as st

from orch.model import drift_policy
from orch.model import observation

POLICY = observation.Policy
PATHS = st.text("ab/*", min_size=1, max_size=8)


def policies(**stored: object) -> drift_policy.Policies:
    return drift_policy.Policies(stored)


class DriftPolicyTestCase(testtools.TestCase):
    def test_without_a_policy_a_drift_is_reported(self) -> None:
        found = policies()

        self.assertIs(POLICY.REPORT, found.of_resource("web"))
        self.assertIs(POLICY.REPORT, found.of_property("web", "label"))

    def test_the_policy_of_the_stack_holds_for_all_in_it(self) -> None:
        found = policies(stack="repair")

        self.assertIs(POLICY.REPAIR, found.of_resource("web"))
        self.assertIs(POLICY.REPAIR, found.of_property("in/port", "mtu"))

    def test_a_policy_of_a_resource_comes_before_that_of_the_stack(
        self,
    ) -> None:
        found = policies(
            stack="repair", resources={"web": {"policy": "report"}}
        )

        self.assertIs(POLICY.REPORT, found.of_property("web", "label"))
        self.assertIs(POLICY.REPAIR, found.of_resource("db"))

    def test_a_policy_of_a_property_comes_before_that_of_any_resource(
        self,
    ) -> None:
        found = policies(
            resources={
                "*": {"properties": {"tags": "ignore"}},
                "web": {"policy": "repair"},
            }
        )

        self.assertIs(POLICY.IGNORE, found.of_property("web", "tags"))
        self.assertIs(POLICY.REPAIR, found.of_property("web", "label"))
        self.assertIs(POLICY.REPAIR, found.of_resource("web"))

    def test_a_path_comes_before_a_pattern(self) -> None:
        found = policies(
            resources={
                "in/web*": {"policy": "repair"},
                "in/web1": {"policy": "ignore"},
                "*": {"policy": "accept"},
            }
        )

        self.assertIs(POLICY.IGNORE, found.of_resource("in/web1"))
        self.assertIs(POLICY.REPAIR, found.of_resource("in/web2"))
        self.assertIs(POLICY.ACCEPT, found.of_resource("web1"))

    def test_a_pattern_is_of_the_whole_path(self) -> None:
        found = policies(resources={"web": {"policy": "repair"}})

        self.assertIs(POLICY.REPORT, found.of_resource("in/web"))
        self.assertIs(POLICY.REPORT, found.of_resource("web2"))

    def test_what_stands_beside_the_asterisk_is_meant_as_it_stands(
        self,
    ) -> None:
        found = policies(resources={"w.b[1]*": {"policy": "repair"}})

        self.assertIs(POLICY.REPAIR, found.of_resource("w.b[1]-x"))
        self.assertIs(POLICY.REPORT, found.of_resource("web1"))

    def test_a_pattern_of_many_parts_takes_no_longer(self) -> None:
        """Trying where each part may stand would take more than for ever."""
        found = policies(resources={"*a" * 60 + "b": {"policy": "repair"}})

        self.assertIs(POLICY.REPORT, found.of_resource("a" * 5000))

    @given(PATHS, PATHS)
    def test_a_pattern_is_what_a_shell_would_take_it_for(
        self, pattern: str, path: str
    ) -> None:
        found = policies(resources={pattern: {"policy": "repair"}})

        self.assertIs(
            POLICY.REPAIR
            if fnmatch.fnmatchcase(path, pattern)
            else POLICY.REPORT,
            found.of_resource(path),
        )

    @given(PATHS, PATHS)
    def test_the_order_in_which_patterns_are_given_does_not_matter(
        self, one: str, other: str
    ) -> None:
        first = {one: {"policy": "repair"}, other: {"policy": "ignore"}}
        second = dict(reversed(first.items()))

        for path in (one, other, "a", "ab", "a/b"):
            self.assertIs(
                policies(resources=first).of_resource(path),
                policies(resources=second).of_resource(path),
            )
