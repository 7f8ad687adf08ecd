"""What of a stack replaces what; earlier moments."""

import threading

from orch.search.index import port
from orch.search.query import nodes
from tests.contract.search import cases
from tests.contract.search import samples
from tests.contract.search.samples import at
from tests.contract.search.samples import resource
from tests.contract.search.samples import stack
from tests.contract.search.samples import stacked


class Putting(cases.Case):
    def test_what_was_put_comes_back_whole(self) -> None:
        whole = resource(
            "a",
            reason="it is so",
            description="Größe \u4e2d\u6587",
            updated_at=at(5.25),
            physical_id="f00",
            owner="ann",
            tags=("x", "y"),
            drift="drifted",
            fields={"properties.size": (5, 2.5, True, "L")},
            texts={"events": "one\ntwo"},
            admin={"properties.host": ("h1",)},
        )
        self.put(whole)

        for scope, expected in (
            (samples.ADMIN, whole),
            (samples.USER, whole.without_admin()),
        ):
            found = self.index.search(samples.query(scope=scope))
            self.assertEqual([expected], [x.document for x in found.hits])

    def test_a_stack_is_replaced_as_a_whole(self) -> None:
        self.put(stack("s1"), resource("a"), resource("b"))

        newer = stacked(stack("s1"), resource("c"), version=2)

        self.assertEqual(1, self.index.put([newer]))
        self.assertEqual(["c", "s1"], self.ids())

    def test_s5_what_is_older_is_left_out(self) -> None:
        self.put(resource("new"), version=7)

        older = stacked(resource("old"), version=6, read_at=99)

        self.assertEqual(0, self.index.put([older]))
        self.assertEqual(["new"], self.ids())

    def test_s5_of_one_version_the_later_reading_stays(self) -> None:
        late = stacked(resource("late"), read_at=20)
        early = stacked(resource("early"), read_at=10)

        self.assertEqual(1, self.index.put([late]))
        self.assertEqual(0, self.index.put([early]))
        self.assertEqual(["late"], self.ids())
        later = stacked(resource("later"), read_at=20.5)
        self.assertEqual(1, self.index.put([later]))
        self.assertEqual(["later"], self.ids())

    def test_s5_the_same_again_changes_nothing(self) -> None:
        once = stacked(resource("a"), resource("b"))
        self.index.put([once])
        before = self.index.counts()

        self.assertEqual(0, self.index.put([once]))
        self.assertEqual(["a", "b"], self.ids())
        self.assertEqual(before.documents, self.index.counts().documents)

    def test_s5_what_is_gone_is_removed_and_stays_so(self) -> None:
        self.put(resource("a"), version=3)

        self.assertEqual(1, self.index.put([stacked(version=5)]))
        self.assertEqual(0, self.index.put([stacked(resource("a"))]))
        self.assertEqual([], self.ids())
        self.assertEqual([], self.index.stack_ids("", 10))

    def test_other_stacks_stay(self) -> None:
        self.put(resource("a"))
        other = stacked(resource("b", stack_id="s2"), stack_id="s2")

        self.assertEqual(1, self.index.put([other]))
        self.assertEqual(1, self.index.put([stacked(version=2)]))
        self.assertEqual(["b"], self.ids())

    def test_of_one_stack_twice_the_newest_counts(self) -> None:
        self.index.put(
            [
                stacked(resource("new"), version=3),
                stacked(resource("old"), version=2),
            ]
        )

        self.assertEqual(["new"], self.ids())

    def test_a_resource_may_move_to_another_stack(self) -> None:
        self.put(resource("a"), resource("b"))
        there = stacked(
            resource("a", stack_id="s2", path="other/a"), stack_id="s2"
        )
        self.index.put([there, stacked(resource("b"), version=2)])

        self.assertEqual(["a", "b"], self.ids())
        self.assertEqual(["a"], self.ids(nodes.Term("stack_id", "s2")))

    def test_an_earlier_moment_shows_what_was_there(self) -> None:
        red = resource("a", tags=("red",))
        blue = resource("a", tags=("blue",))
        keep = resource("k")
        self.index.put([stacked(red, keep, read_at=10)])
        self.index.put([stacked(blue, keep, version=2, read_at=20)])
        self.index.put([stacked(keep, version=3, read_at=30)])

        self.assertEqual([], self.ids(as_of=at(9)))
        self.assertEqual(["a", "k"], self.ids(as_of=at(10)))
        for moment, colour in ((15, "red"), (20, "blue"), (29, "blue")):
            node = nodes.Term("tags", colour)
            self.assertEqual(["a"], self.ids(node, as_of=at(moment)))
            self.assertEqual([], self.ids(node))
        self.assertEqual(["k"], self.ids(as_of=at(30)))
        self.assertEqual([], self.ids(samples.words("blue")))

    def test_earlier_moments_count_in_facets(self) -> None:
        self.index.put([stacked(resource("a", tags=("red",)), read_at=1)])
        blue = resource("a", tags=("blue",))
        self.index.put([stacked(blue, version=2, read_at=2)])

        for moment, colour in ((1.5, "red"), (None, "blue")):
            found = self.index.search(
                samples.query(
                    facets=(port.Facet("tags"),),
                    as_of=None if moment is None else at(moment),
                )
            )
            self.assertEqual(((colour, 1),), found.facets["tags"])

    def test_history_is_forgotten(self) -> None:
        for version in (1, 2, 3):
            found = resource("a", tags=(f"t{version}",))
            put = stacked(found, version=version, read_at=version * 10)
            self.index.put([put])

        self.assertEqual(1, self.index.forget_history(at(25)))
        self.assertEqual([], self.ids(as_of=at(15)))
        self.assertEqual(["a"], self.ids(as_of=at(25)))
        self.assertEqual(1, self.index.forget_history(at(1000)))
        self.assertEqual(["a"], self.ids(nodes.Term("tags", "t3")))
        self.assertEqual(0, self.index.forget_history(at(1000)))

    def test_what_does_not_differ_is_not_written(self) -> None:
        same = resource("a"), resource("b"), resource("c")
        self.put(*same)
        self.assertEqual(1, self.index.put([stacked(*same, version=2)]))
        changed = stacked(*same[:2], resource("c", name="x"), version=3)
        self.assertEqual(1, self.index.put([changed]))

        self.assertEqual(1, self.index.forget_history(at(1000)))
        self.assertEqual(3, self.index.counts().documents)

    def test_what_was_forgotten_can_come_again(self) -> None:
        for version in range(1, 6):
            name = f"name{version % 2}"
            found = resource("a", name=name, texts={"events": f"é {name} x"})
            self.index.put([stacked(found, version=version)])
            self.index.forget_history(at(1000))
            self.assertEqual(["a"], self.ids(samples.words(name)))
            self.assertEqual(["a"], self.ids(nodes.Term("name", name)))
            other = f"name{(version + 1) % 2}"
            self.assertEqual([], self.ids(samples.words(other)))
            self.assertEqual([], self.ids(nodes.Term("name", other)))

    def test_odd_values_survive(self) -> None:
        odd = {
            "quotes": 'it\'s "so" `a`; DROP TABLE x; -- %s {} \\ \x1a',
            "zero": "be\0fore \0",
            "long": "lorem ipsum " * 90_000,
            "scripts": "ñandú ΣΊΣΥΦΟΣ 中文 \U0001f600 e\u0301",
        }
        self.put(
            *(
                resource(name, fields={"properties.it": (value,)})
                for name, value in odd.items()
            ),
            resource("text", texts={"template": odd["long"]}),
        )

        for value in odd.values():
            node = nodes.Term("properties.it", value)
            found = self.index.search(samples.query(node))
            self.assertEqual(1, found.total)
            self.assertEqual(
                (value,), found.hits[0].document.fields["properties.it"]
            )
        for text, name in (
            ("drop table", "quotes"),
            ("be fore", "zero"),
            ("σισυφοσ", "scripts"),
        ):
            self.assertEqual([name], self.ids(samples.words(text)))
        long = self.sorted_ids(samples.words("ipsum lorem"))
        self.assertEqual("long text", long)

    def test_what_cannot_be_written_does_not_stop_the_rest(self) -> None:
        self.put(
            resource("broken", fields={"properties.it": ("a\ud800b", 10**30)}),
            resource("nan", fields={"properties.it": (float("nan"), "x")}),
            resource("good"),
        )

        self.assertEqual(["broken", "good", "nan"], self.ids())
        self.assertEqual(["nan"], self.ids(nodes.Term("it", "x")))

    def test_many_put_and_search_at_once(self) -> None:
        failures: list[BaseException] = []
        gone = threading.Event()

        def put(stack_id: str) -> None:
            try:
                for version in range(1, 13):
                    pair = tuple(
                        resource(
                            f"{stack_id}{name}",
                            stack_id=stack_id,
                            fields={"properties.version": (version,)},
                        )
                        for name in "ab"
                    )
                    self.index.put(
                        [stacked(*pair, stack_id=stack_id, version=version)]
                    )
            except BaseException as e:
                failures.append(e)

        def search() -> None:
            try:
                while not gone.is_set():
                    for name in ("s1", "s2", "s3"):
                        pair = self.index.search(
                            samples.query(nodes.Term("stack_id", name))
                        ).hits
                        versions = {
                            each.document.fields["properties.version"]
                            for each in pair
                        }
                        assert len(pair) in (0, 2), pair
                        assert len(versions) in (0, 1), versions
            except BaseException as e:
                failures.append(e)

        writers = [
            threading.Thread(target=put, args=(name,))
            for name in ("s1", "s2", "s3")
        ]
        readers = [threading.Thread(target=search) for _ in range(2)]
        for each in (*writers, *readers):
            each.start()
        for each in writers:
            each.join()
        gone.set()
        for each in readers:
            each.join()

        self.assertEqual([], failures)
        last = self.ids(nodes.Range("version", low=12.0, high=12.0))
        self.assertEqual(6, len(last))
        self.assertEqual(6, len(self.ids()))
