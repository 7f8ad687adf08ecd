"""What a stack says that it waits for."""

from orch import clock
from orch.model import blocked
from tests import base

_MOMENT = clock.Timestamp(1_700_000_000.0)
_RETRY = blocked.WaitKind.RETRY


def full(path: str, later_s: float = 0.0) -> blocked.Wait:
    """Return the wait of a resource that has no room."""
    due = clock.Timestamp(_MOMENT + later_s)
    return blocked.Wait(_RETRY, path, "QuotaExceeded: full", due)


class ReasonTest(base.TestCase):
    def test_it_names_some_and_counts_the_others(self) -> None:
        found = blocked.of_waits([full(f"r{n}", n) for n in range(5)])

        self.assertEqual(
            "waiting for r0: QuotaExceeded: full, r1: QuotaExceeded: full,"
            " r2: QuotaExceeded: full and 2 more, next try at"
            " 2023-11-14T22:13:20Z",
            found.reason,
        )

    def test_it_tells_of_all_kinds_of_waiting(self) -> None:
        found = blocked.of_waits(
            [
                full("a"),
                blocked.Wait(blocked.WaitKind.BREAKPOINT, "b", "pre-create"),
                blocked.Wait(blocked.WaitKind.SIGNAL, "c"),
            ]
        )

        self.assertEqual(
            "c waiting for a signal; waiting for a: QuotaExceeded: full, next"
            " try at 2023-11-14T22:13:20Z; waiting until Hook pre-create of b"
            " is cleared",
            found.reason,
        )

    def test_nothing_has_no_reason(self) -> None:
        self.assertEqual("", blocked.NOTHING.reason)
        self.assertIsNone(blocked.NOTHING.to_stored())


class TreeTest(base.TestCase):
    def test_a_parent_has_longer_paths(self) -> None:
        found = blocked.of_waits([full("b")]).under("leaf").under("mid")

        self.assertEqual("mid/leaf/b", found.waits[0].path)

    def test_several_are_counted_together(self) -> None:
        many = blocked.of_waits([full(f"r{n}", n + 1) for n in range(5)])
        first = blocked.of_waits([full("x")], is_new=True)

        found = blocked.merge([many, blocked.NOTHING, first])

        self.assertEqual(["x", "r0", "r1"], [w.path for w in found.waits])
        self.assertEqual({"retry": 3}, found.others)
        self.assertTrue(found.is_new)
        self.assertEqual(_MOMENT, found.next_try_at)

    def test_a_row_keeps_it(self) -> None:
        found = blocked.of_waits([full("b")], {"signal": 2}, is_new=True)

        self.assertEqual(found, blocked.Blocked.of(found.to_stored()))
