"""Texts, counts; what stays, and what is forgotten."""

from orch import clock
from tests.contract.search import cases
from tests.contract.search import samples
from tests.contract.search.samples import at
from tests.contract.search.samples import resource
from tests.contract.search.samples import stack
from tests.contract.search.samples import stacked


class Storage(cases.Case):
    def test_s2_versions_can_be_forgotten(self) -> None:
        self.index.put([stacked(resource("a"), version=9, read_at=9)])
        self.index.put([stacked(stack_id="gone", version=2**53, read_at=9)])
        self.index.forget_versions()
        self.assertEqual(["a"], self.ids())

        come = [
            stacked(resource("b"), version=2, read_at=3),
            stacked(
                resource("c", stack_id="gone"),
                stack_id="gone",
                version=0,
                read_at=3,
            ),
        ]
        self.assertEqual(2, self.index.put(come))
        self.assertEqual(["b", "c"], sorted(self.ids()))
        older = stacked(resource("d"), version=1, read_at=99)
        self.assertEqual(0, self.index.put([older]))
        self.assertEqual(["b", "c"], sorted(self.ids()))

    def test_texts_are_kept(self) -> None:
        self.assertIsNone(self.index.load("cursor"))
        self.index.save("cursor", "é1")
        self.index.save("other", "")
        self.index.save("cursor", "2")

        self.assertEqual("2", self.reopen().load("cursor"))
        self.assertEqual("", self.index.load("other"))
        self.index.save("cursor", None)
        self.index.save("never", None)
        self.assertIsNone(self.index.load("cursor"))

    def test_stacks_are_listed(self) -> None:
        self.index.put(
            [
                stacked(
                    resource(name, stack_id=name),
                    stack_id=name,
                    read_at=number,
                )
                for number, name in enumerate(("s3", "s1", "s2"))
            ]
        )
        every: list[tuple[str, clock.Timestamp]] = [
            ("s1", at(1)),
            ("s2", at(2)),
            ("s3", at(0)),
        ]
        self.assertEqual(every, self.index.stack_ids("", 10))
        self.assertEqual(every[:2], self.index.stack_ids("", 2))
        self.assertEqual(every[1:], self.index.stack_ids("s1", 2))
        self.assertEqual([], self.index.stack_ids("s3", 2))

    def test_a_later_reading_of_the_same_is_remembered(self) -> None:
        self.index.put([stacked(resource("a"), read_at=1)])
        self.index.put([stacked(resource("a"), read_at=5)])

        self.assertEqual([("s1", at(5))], self.index.stack_ids("", 10))

    def test_counts(self) -> None:
        empty = self.index.counts()
        self.assertEqual(
            (0, 0, 0), (empty.stacks, empty.documents, empty.text_bytes)
        )
        self.put(stack("s1"), resource("a", description="x" * 5000))

        found = self.index.counts()

        self.assertEqual((1, 2), (found.stacks, found.documents))
        self.assertGreater(found.text_bytes, 5000)
        self.assertLess(found.text_bytes, 7000)
        self.assertGreater(found.stored_bytes, 0)
        self.put(resource("a"), version=2)
        self.assertLess(self.index.counts().text_bytes, 2000)
        self.assertEqual(1, self.index.counts().documents)

    def test_everything_can_be_forgotten(self) -> None:
        self.put(resource("a"), version=9)
        self.index.save("cursor", "x")

        self.index.clear()

        self.assertEqual([], self.ids(scope=samples.ADMIN))
        self.assertEqual([], self.ids(scope=samples.ADMIN, as_of=at(1)))
        self.assertIsNone(self.index.load("cursor"))
        self.assertEqual(0, self.index.counts().documents)
        self.assertEqual(
            {}, dict(self.index.fields(samples.ADMIN, frozenset()))
        )
        self.put(resource("b"), version=1)
        self.assertEqual(["b"], self.ids())

    def test_preparing_again_keeps_all(self) -> None:
        self.put(resource("a"))
        self.index.prepare()
        again = self.reopen()
        again.prepare()

        self.assertEqual(["a"], self.ids())
        self.assertEqual(["a"], self.ids(index=again))

    def test_another_opening_sees_what_was_put(self) -> None:
        again = self.reopen()
        self.put(resource("a"))
        self.assertEqual(["a"], self.ids(index=again))
        again.put([stacked(resource("b"), version=2)])
        self.assertEqual(["b"], self.ids())
        self.assertEqual(["b"], self.ids(samples.words("b")))

    def test_fields_that_can_be_searched(self) -> None:
        self.put(
            stack("s1", texts={"template": "x"}, updated_at=at(1)),
            resource(
                "a",
                fields={"properties.size": (5,), "properties.name": ("x",)},
                admin={"admin.host": ("h",)},
            ),
            resource("h", is_hidden=True, fields={"properties.veil": (1,)}),
        )
        other = resource(
            "b", project_id="p2", fields={"parameters.theirs": ("x",)}
        )
        self.index.put([stacked(other, stack_id="s2")])

        found = self.index.fields(samples.USER, frozenset())

        for name, kind in (
            ("name", "text"),
            ("status", "text"),
            ("created_at", "moment"),
            ("updated_at", "moment"),
            ("properties.size", "number"),
            ("properties.name", "text"),
            ("texts.template", "text"),
        ):
            self.assertEqual(kind, found.get(name), name)
        for name in (
            "admin.host",
            "parameters.theirs",
            "properties.veil",
            "reason",
        ):
            self.assertNotIn(name, found)
        stacks = self.index.fields(samples.USER, frozenset({"stack"}))
        self.assertNotIn("properties.size", stacks)
        self.assertIn("texts.template", stacks)
        admin = self.index.fields(samples.ADMIN, frozenset())
        for name in ("admin.host", "parameters.theirs", "properties.veil"):
            self.assertIn(name, admin)

    def test_fields_of_a_type_are_its_own(self) -> None:
        server, net, lost = "OS::Nova::Server", "OS::Neutron::Net", "A::Gone"
        self.put(
            resource("a", fields={"properties.size": (5,)}),
            resource(
                "b",
                fields={"properties.name": ("x",)},
                admin={"admin.host": ("h",)},
            ),
            resource("n", type=net, fields={"properties.mtu": (5,)}),
            resource("h", type=net, is_hidden=True, fields={"x.veil": (1,)}),
            resource("l", type=lost, fields={"properties.lost": (1,)}),
        )
        self.put(
            resource("a", fields={"properties.size": (5,)}),
            resource(
                "b",
                fields={"properties.name": ("x",)},
                admin={"admin.host": ("h",)},
            ),
            resource("n", type=net, fields={"properties.mtu": ("many",)}),
            resource("h", type=net, is_hidden=True, fields={"x.veil": (1,)}),
            version=2,
        )
        types = (server, net, lost, server.lower())

        seen = self.index.fields_of(samples.USER, types)
        admin = self.index.fields_of(samples.ADMIN, types)

        self.assertEqual(set(types), set(seen))
        own = {
            each: {
                name: form
                for name, form in fields.items()
                if name.partition(".")[0] in ("properties", "admin", "x")
            }
            for each, fields in seen.items()
        }
        self.assertEqual(
            {"properties.size": "number", "properties.name": "text"},
            own[server],
        )
        self.assertEqual({"properties.mtu": "text"}, own[net])
        self.assertEqual("moment", seen[net]["created_at"])
        # It is gone, and the other one is no type to the letter.
        self.assertEqual({}, dict(seen[lost]))
        self.assertEqual({}, dict(seen[server.lower()]))
        self.assertIn("admin.host", admin[server])
        self.assertNotIn("admin.host", admin[net])
        self.assertIn("x.veil", admin[net])
