import collections.abc
import dataclasses
import typing

from orch import ids
from orch.flow.state import results
from orch.flow.state import row_table
from orch.model import resource
from orch.model import states
from tests import base
from tests.unit.planner import test_builder


@dataclasses.dataclass(frozen=True)
class Operation:
    """What is asked of the operation."""

    options: dict[str, object]
    id: str = "now"


def build_results(
    rows: collections.abc.Iterable[resource.Resource],
    failed: list[str],
    options: dict[str, object],
) -> results.Results:
    """Return the results of an operation that has ended."""
    nothing: typing.Any = None
    found = results.Results(
        typing.cast(typing.Any, Operation(options)),
        row_table.RowTable(rows),
        *(nothing for _ in range(6)),
    )
    found.failed = [ids.ResourceId(each) for each in failed]
    return found


class FailuresTest(base.TestCase):
    def names(
        self,
        rows: list[resource.Resource],
        failed: list[str],
        **options: object,
    ) -> list[object]:
        found = build_results(
            rows, [f"{name}-row" for name in failed], options
        )
        return [each["name"] for each in found.list_failures()]

    def row(
        self,
        name: str,
        *requires: str,
        action: states.Action = states.Action.CHECK,
        **fields: object,
    ) -> resource.Resource:
        given = {"status": states.Status.FAILED, "operation_id": "now"}
        return test_builder.row(
            name, action, requires=requires, **{**given, **fields}
        )

    def test_those_that_have_nothing_in_common_come_as_they_failed(
        self,
    ) -> None:
        rows = [self.row("a"), self.row("b"), self.row("c")]

        self.assertEqual(["c", "a", "b"], self.names(rows, ["c", "a", "b"]))

    def test_a_cause_comes_before_what_it_caused(self) -> None:
        rows = [
            self.row("app", "link"),
            self.row("link", "zone", status=states.Status.COMPLETE),
            self.row("zone"),
            self.row("lamp"),
        ]

        self.assertEqual(
            ["lamp", "zone", "app"], self.names(rows, ["app", "lamp", "zone"])
        )

    def test_in_a_deletion_what_requires_is_the_cause(self) -> None:
        action = states.Action.DELETE
        rows = [
            self.row("zone", action=action),
            self.row("app", "zone", action=action),
        ]

        self.assertEqual(["app", "zone"], self.names(rows, ["zone", "app"]))

    def test_what_was_not_taken_up_again_comes_last(self) -> None:
        rows = [self.row("a"), self.row("b", "a")]

        self.assertEqual(["b", "a"], self.names(rows, ["b"]))

    def test_what_is_skipped_is_no_failure(self) -> None:
        rows = [self.row("a"), self.row("b")]

        self.assertEqual(["a"], self.names(rows, ["a"], skip=["b"]))

    def test_what_another_operation_left_is_no_failure_of_this_one(
        self,
    ) -> None:
        self.assertEqual([], self.names([self.row("a", operation_id="x")], []))

    def test_each_tells_its_path(self) -> None:
        (told,) = build_results([self.row("a")], [], {}).list_failures()

        self.assertEqual("resources.a", told["path"])
