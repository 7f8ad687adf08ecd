from orch import clock
from orch.search import document
from orch.search.indexing import known_stacks
from tests import base


def change(
    stack_id: str, count: int, version: int = 1
) -> document.StackDocuments:
    return document.StackDocuments(
        stack_id=stack_id,
        version=version,
        read_at=clock.Timestamp(version),
        digests={
            f"resource/{number}": f"digest {stack_id} {number}"
            for number in range(count)
        },
    )


class KnownStacksTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.known = known_stacks.KnownStacks()

    def test_a_stack_is_known_as_it_was_put_last(self) -> None:
        self.known.save([change("a", 1), change("b", 1)])
        self.known.save([change("a", 2, version=2)])

        self.assertEqual(
            {
                "a": document.KnownStack(
                    2,
                    clock.Timestamp(2),
                    {
                        "digest a 0": "resource/0",
                        "digest a 1": "resource/1",
                    },
                )
            },
            self.known.find(["a", "c"]),
        )

    def test_one_without_digests_is_not_known(self) -> None:
        self.known.save([change("a", 1)])
        self.known.save([change("a", 0, version=2)])

        self.assertEqual({}, self.known.find(["a"]))

    def test_a_forgotten_one_is_not_known(self) -> None:
        self.known.save([change("a", 1), change("b", 1)])
        self.known.forget(["a", "c"])

        self.assertEqual(["b"], list(self.known.find(["a", "b"])))

    def test_of_many_those_put_last_are_known(self) -> None:
        half = known_stacks.MAX_DOCUMENTS // 2
        self.known.save([change("a", half), change("b", half)])
        self.known.save([change("a", half, version=2)])
        self.known.save([change("c", 1)])

        self.assertEqual(["a", "c"], list(self.known.find("abc")))

    def test_one_that_is_too_large_pushes_out_none(self) -> None:
        self.known.save([change("a", 1)])
        self.known.save([change("b", known_stacks.MAX_DOCUMENTS + 1)])

        self.assertEqual(["a"], list(self.known.find("ab")))
