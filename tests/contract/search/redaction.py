"""S3: what is hidden now is not found as of a moment before that."""

import threading

from orch.search import document as documents
from orch.search.index import port
from orch.search.query import nodes
from tests.contract.search import cases
from tests.contract.search import samples
from tests.contract.search.samples import at
from tests.contract.search.samples import resource
from tests.contract.search.samples import stack
from tests.contract.search.samples import stacked

_SECRET = "canary"
_KEY = "parameters.key"
_TAGGED = nodes.Exists("tags")


def _plain(number: int) -> documents.Document:
    """Return a stack that shows what is hidden later."""
    return stack(
        "s1",
        tags=(f"t{number}",),
        fields={"parameters.key": (_SECRET,), "parameters.size": (number,)},
        texts={"template": f"the {_SECRET} of {number}"},
    )


def _masked(number: int) -> documents.Document:
    return stack(
        "s1", tags=(f"t{number}",), fields={"parameters.size": (number,)}
    )


class Redaction(cases.Case):
    def put_all(self, *changes: documents.StackDocuments) -> None:
        """Put what came one after the other."""
        for each in changes:
            self.assertEqual(1, self.index.put([each]))

    def assert_nothing_shown(self, *moments: float) -> None:
        """Check each way to ask for the secret, by each scope."""
        for scope in (samples.USER, samples.ADMIN):
            for moment in (*moments, None):
                then = None if moment is None else at(moment)
                for node in (
                    samples.words(_SECRET),
                    samples.words(_SECRET[:3], is_prefix=True),
                    nodes.Term("parameters.key", _SECRET),
                    nodes.Pattern("parameters.key", "can*"),
                    nodes.Exists("parameters.key"),
                ):
                    self.assertEqual([], self.ids(node, scope, as_of=then))
                found = self.index.search(
                    samples.query(
                        scope=scope,
                        as_of=then,
                        facets=(port.Facet("parameters.key"),),
                    )
                )
                self.assertEqual((), found.facets["parameters.key"])
                self.assertNotIn(_SECRET, repr(found))

    def test_s3_what_became_hidden_is_not_found_as_of_before(self) -> None:
        self.put_all(
            stacked(_plain(1), resource("a"), read_at=10),
            stacked(_plain(2), resource("a"), version=2, read_at=20),
            stacked(
                _masked(3),
                resource("a"),
                version=3,
                read_at=30,
                redacted={_KEY},
            ),
        )

        self.assert_nothing_shown(10, 15, 20, 29, 30, 31)
        # What did not change shows nothing that it does not show now.
        self.assertEqual(["a"], self.ids(as_of=at(15)))
        self.assertEqual(["a", "s1"], sorted(self.ids(as_of=at(30))))
        self.assertEqual(0, self.index.forget_history(at(1000)))
        again = self.reopen()
        self.assertEqual([], self.ids(_TAGGED, index=again, as_of=at(25)))

    def test_s3_other_changes_stay_with_what_is_hidden(self) -> None:
        self.put_all(
            stacked(_masked(1), read_at=10, redacted={_KEY, "outputs.key"}),
            stacked(
                _masked(2),
                version=2,
                read_at=20,
                redacted={_KEY, "outputs.key"},
            ),
            stacked(_masked(3), version=3, read_at=30, redacted={_KEY}),
            stacked(version=4, read_at=40, redacted={_KEY}),
        )

        for moment, tag in ((10, "t1"), (25, "t2"), (39, "t3")):
            self.assertEqual(
                ["s1"], self.ids(nodes.Term("tags", tag), as_of=at(moment))
            )
        self.assertEqual([], self.ids(as_of=at(40)))

    def test_s3_what_was_shown_for_a_while_is_forgotten_too(self) -> None:
        self.put_all(
            stacked(_masked(1), read_at=10, redacted={_KEY}),
            stacked(_plain(2), version=2, read_at=20),
            stacked(_masked(3), version=3, read_at=30, redacted={_KEY}),
        )

        self.assert_nothing_shown(10, 20, 29, 30)
        self.assertEqual([], self.ids(as_of=at(29)))

    def test_s3_it_is_forgotten_where_no_document_differs(self) -> None:
        masked = (_masked(2), resource("a"))
        self.put_all(
            stacked(_plain(1), resource("a"), read_at=10),
            stacked(*masked, version=2, read_at=20),
            stacked(*masked, version=2, read_at=21, redacted={_KEY}),
        )

        self.assert_nothing_shown(10, 19, 20, 21)
        self.assertEqual(["a", "s1"], sorted(self.ids(as_of=at(20))))
        self.assertEqual(["a"], self.ids(as_of=at(10)))

    def test_s3_what_was_hidden_as_it_went_is_forgotten(self) -> None:
        self.put_all(
            stacked(_plain(1), resource("a"), read_at=10),
            stacked(version=2, read_at=20, redacted={_KEY}),
        )

        self.assert_nothing_shown(10, 19, 20)
        self.assertEqual([], self.ids(as_of=at(19)))
        self.assertEqual(0, self.index.counts().documents)

    def test_s3_names_of_what_is_gone_are_remembered(self) -> None:
        self.put_all(
            stacked(_masked(1), read_at=10, redacted={_KEY}),
            stacked(version=2, read_at=20, redacted={_KEY}),
            stacked(_masked(3), version=3, read_at=30, redacted={_KEY}),
        )
        self.assertEqual(["s1"], self.ids(as_of=at(15)))
        self.assertEqual([], self.ids(as_of=at(25)))

        self.put_all(
            stacked(version=4, read_at=40),
            stacked(_masked(5), version=5, read_at=50, redacted={_KEY}),
        )

        self.assertEqual([], self.ids(as_of=at(15)))
        self.assertEqual(["s1"], self.ids(as_of=at(50)))

    def test_s3_what_went_before_is_forgotten_with_the_rest(self) -> None:
        secret = resource("a", fields={"properties.key": (_SECRET,)})
        self.put_all(
            stacked(stack("s1"), secret, read_at=10),
            stacked(stack("s1"), version=2, read_at=20),
            stacked(stack("s1"), version=3, read_at=30, redacted={"it"}),
        )

        self.assert_nothing_shown(10, 19, 25, 30)
        self.assertEqual(["s1"], self.ids(as_of=at(10)))

    def test_s3_former_states_of_other_stacks_stay(self) -> None:
        mine, theirs = (
            [
                stacked(
                    resource(name, stack_id=name, tags=(f"t{version}",)),
                    stack_id=name,
                    version=version,
                    read_at=version * 10,
                )
                for version in (1, 2)
            ]
            for name in ("mine", "theirs")
        )
        self.put_all(mine[0], theirs[0], theirs[1])
        self.index.put(
            [
                documents.StackDocuments(
                    stack_id="mine",
                    version=2,
                    read_at=at(20),
                    documents=mine[1].documents,
                    redacted=frozenset({_KEY}),
                )
            ]
        )

        self.assertEqual(["theirs"], self.ids(as_of=at(10)))
        self.assertEqual(["mine", "theirs"], sorted(self.ids(as_of=at(20))))

    def test_s3_what_is_older_forgets_nothing(self) -> None:
        self.put_all(
            stacked(_masked(1), version=5, read_at=10),
            stacked(_masked(2), version=6, read_at=20),
        )
        older = stacked(_masked(3), version=5, read_at=90, redacted={_KEY})

        self.assertEqual(0, self.index.put([older]))

        self.assertEqual(["s1"], self.ids(_TAGGED, as_of=at(15)))

    def test_s3_a_stack_that_became_hidden_was_never_seen(self) -> None:
        seen = (stack("s1"), resource("a"))
        hidden = (
            stack("s1", is_hidden=True),
            resource("a", is_hidden=True),
        )
        self.put_all(
            stacked(*seen, read_at=10),
            stacked(*hidden, version=2, read_at=20, redacted={"stack"}),
        )

        self.assertEqual([], self.ids(as_of=at(15)))
        self.assertEqual([], self.ids(as_of=at(20)))
        self.put_all(stacked(*seen, version=3, read_at=30))
        self.assertEqual([], self.ids(as_of=at(25)))
        self.assertEqual(["a", "s1"], sorted(self.ids(as_of=at(30))))
        for_admins = self.ids(scope=samples.ADMIN, as_of=at(25))
        self.assertEqual(["a", "s1"], sorted(for_admins))

    def test_s3_what_it_was_in_another_project_is_forgotten_too(
        self,
    ) -> None:
        there = resource(
            "a", project_id="p2", fields={"properties.key": (_SECRET,)}
        )
        self.put_all(
            stacked(there, read_at=10),
            stacked(resource("a"), version=2, read_at=20),
        )
        for scope, count in ((samples.OTHER, 1), (samples.USER, 0)):
            found = self.ids(scope=scope, as_of=at(15))
            self.assertEqual(count, len(found))

        self.put_all(
            stacked(resource("a"), version=3, read_at=30, redacted={"it"})
        )

        self.assertEqual([], self.ids(scope=samples.OTHER, as_of=at(15)))

    def test_s3_names_are_kept_as_they_are(self) -> None:
        odd = {"", "é\0x", 'it\'s "so"', "a,b", "\U0001f600" * 300}
        self.put_all(
            stacked(_masked(1), read_at=10, redacted=odd),
            stacked(_masked(2), version=2, read_at=20, redacted=odd),
        )
        self.assertEqual(["s1"], self.ids(as_of=at(15)))

        self.put_all(
            stacked(_masked(3), version=3, read_at=30, redacted={*odd, "é"})
        )

        self.assertEqual([], self.ids(as_of=at(15)))

    def test_s3_what_was_forgotten_leaves_room_that_is_used_again(
        self,
    ) -> None:
        for version in range(1, 9):
            is_plain = version % 2
            found = _plain(version) if is_plain else _masked(version)
            other = stacked(
                resource("b", stack_id="s2", tags=(f"t{version}",)),
                stack_id="s2",
                version=version,
                read_at=version,
            )
            mine = stacked(
                found,
                *(resource(f"r{version}-{each}") for each in range(3)),
                version=version,
                read_at=version,
                redacted=() if is_plain else {_KEY},
            )
            self.assertEqual(2, self.index.put([mine, other]))

            tag = nodes.Term("tags", f"t{version}")
            self.assertEqual("b s1", self.sorted_ids(tag))
            names = " ".join(f"r{version}-{each}" for each in range(3))
            self.assertEqual(
                names, self.sorted_ids(nodes.Pattern("name", "r*"))
            )
            self.assertEqual(5, self.index.counts().documents)
        self.assert_nothing_shown(1, 3, 5, 7, 8)

    def test_s3_nobody_sees_it_half_forgotten(self) -> None:
        """Whoever sees the hidden state finds nothing of before."""
        failures: list[BaseException] = []
        is_over = threading.Event()
        shown = nodes.Term("parameters.key", _SECRET)

        def search() -> None:
            try:
                while not is_over.is_set():
                    now = self.index.search(
                        samples.query(nodes.Term("status", "MASKED"))
                    )
                    then = self.index.search(
                        samples.query(shown, as_of=at(15))
                    )
                    assert not (now.total and then.total)
            except BaseException as e:
                failures.append(e)

        self.put_all(
            stacked(_plain(1), read_at=10),
            stacked(_plain(2), version=2, read_at=20),
        )
        readers = [threading.Thread(target=search) for _ in range(2)]
        for each in readers:
            each.start()
        try:
            self.put_all(
                stacked(
                    stack("s1", status="MASKED"),
                    version=3,
                    read_at=30,
                    redacted={_KEY},
                )
            )
        finally:
            is_over.set()
            for each in readers:
                each.join()

        self.assertEqual([], failures)
        self.assert_nothing_shown(10, 15, 20)
