"""What signals leave with a handle."""

from orch.resources.signals import entries
from tests import base

DONE = {"status": "SUCCESS", "reason": "done", "data": 1}


class FilledTest(base.TestCase):
    def filled(self, known: entries.Entries, details: object) -> object:
        return entries.with_defaults(known, details, entries.HEAT_WORDS)

    def test_nothing_is_a_success_with_the_next_number(self) -> None:
        expected = {
            "id": 2,
            "status": "SUCCESS",
            "reason": "Signal 2 received",
            "data": None,
        }
        for details in (None, {}, "", []):
            self.assertEqual(expected, self.filled({"x": DONE}, details))

    def test_a_number_that_is_taken_is_passed_over(self) -> None:
        found = self.filled({"2": DONE}, None)

        self.assertEqual(3, found["id"])
        self.assertEqual("Signal 3 received", found["reason"])

    def test_one_that_comes_again_keeps_its_reason(self) -> None:
        found = self.filled({"1": DONE, "2": DONE}, {"id": 1, "data": 1})

        self.assertEqual("done", found["reason"])

    def test_what_is_no_map_is_refused(self) -> None:
        for details in ("text", 1, ["a"], True):
            self.assertRaises(entries.BadSignal, self.filled, {}, details)


class TakenTest(base.TestCase):
    def test_the_last_of_one_id_counts(self) -> None:
        given = {"id": 1, **DONE, "data": 2}

        kept, entry = entries.add_entry({"1": DONE}, given, entries.HEAT_WORDS)

        self.assertEqual({**DONE, "data": 2}, entry)
        self.assertEqual({"1": entry}, kept)

    def test_each_kind_of_handle_has_its_words(self) -> None:
        given = {"UniqueId": "a", "Status": "FAILURE", "Reason": "r"}

        kept, _ = entries.add_entry(
            {}, {**given, "Data": 0}, entries.CFN_WORDS
        )

        self.assertEqual(
            {"a": {"status": "FAILURE", "reason": "r", "data": 0}}, kept
        )
        self.assertEqual(
            {"a": {"Status": "FAILURE", "Reason": "r", "Data": 0}},
            entries.show_entries(kept, entries.CFN_WORDS),
        )
        self.assertRaises(
            entries.BadSignal, entries.add_entry, {}, given, entries.CFN_WORDS
        )

    def test_an_unknown_status_or_key_is_refused(self) -> None:
        for given in (
            {"id": 1, **DONE, "status": "success"},
            {"id": 1, **DONE, "status": ["SUCCESS"]},
            {"id": 1, **DONE, "more": 1},
            DONE,
        ):
            self.assertRaises(
                entries.BadSignal,
                entries.add_entry,
                {},
                given,
                entries.HEAT_WORDS,
            )
