from orch.plugin import reality
from orch.resources.http import body_pointers
from tests import base
from tests.unit.resources.http import http_case

SENT = {"n": 1, "rules": [{"port": 1, "hits": 0}, {"port": 2, "hits": 0}]}


def pointers(
    *ignored: str, exact: tuple[str, ...] = ()
) -> body_pointers.BodyPointers:
    return body_pointers.BodyPointers.of_properties(
        {
            "comparison": {
                "exact_pointers": list(exact),
                "ignored_pointers": list(ignored),
            }
        }
    )


class BodyPointersTest(base.TestCase):
    def test_what_is_ignored_is_sent_as_it_is_shown(self) -> None:
        shown = {
            "n": 7,
            "extra": 8,
            "unnamed": 9,
            "rules": [{"port": 1, "hits": 5}],
        }

        sent = pointers("/n", "/extra", "/rules/0/hits", "/rules/1/hits")

        self.assertEqual(
            {
                "n": 7,
                "extra": 8,
                "rules": [{"port": 1, "hits": 5}, {"port": 2, "hits": 0}],
            },
            sent.preserve(SENT, shown),
        )

    def test_what_is_not_shown_is_sent_as_it_is_desired(self) -> None:
        for shown in ({}, {"rules": {}}, None, []):
            self.assertEqual(
                SENT,
                pointers("/n", "/rules/0/hits", "/x").preserve(SENT, shown),
            )

    def test_what_is_exact_is_so_with_all_below(self) -> None:
        found = pointers(exact=("/a",))

        self.assertFalse(found.is_exact)
        self.assertFalse(found.below("b").is_exact)
        self.assertTrue(found.below("a").below("x").below(0).is_exact)


class ListedTest(http_case.HttpTestCase):
    """A list confirms what is compared, and nothing else."""

    def observe(
        self, entry: dict[str, object], comparison: object
    ) -> reality.ListAnswer | None:
        self.answers["GET", "/things"] = (
            200,
            [{**entry, "id": name} for name in "78"],
        )
        answers = self.plugin.observe(
            [
                self.make(
                    name,
                    list={},
                    read={},
                    update={"body": {"size": 5, "labels": {"a": "1"}}},
                    comparison=comparison,
                )
                for name in "78"
            ]
        )
        return None if answers is None else answers[0]

    def test_a_key_too_many_is_left_to_a_read(self) -> None:
        entry = {"size": 5, "labels": {"a": "1", "b": "2"}}
        exact = {"exact_pointers": ["/labels"]}

        self.assertIs(reality.UNLISTED, self.observe(entry, exact))
        self.assertIsInstance(self.observe(entry, None), dict)

    def test_what_is_ignored_need_not_be_listed(self) -> None:
        entry = {"labels": {"a": "1"}}
        ignored = {"ignored_pointers": ["/size"]}

        self.assertIsInstance(self.observe(entry, ignored), dict)
        self.assertIs(reality.UNLISTED, self.observe(entry, None))
