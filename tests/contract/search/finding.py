"""Every node of a query, in each kind of field; who finds what."""

from orch.search import document as documents
from orch.search.index import port
from orch.search.query import nodes
from tests.contract.search import cases
from tests.contract.search import samples
from tests.contract.search.samples import at
from tests.contract.search.samples import resource
from tests.contract.search.samples import stack
from tests.contract.search.samples import stacked
from tests.contract.search.samples import words


class Finding(cases.Case):
    def fill(self) -> None:
        self.put(
            stack(
                "s1",
                name="shop",
                path="shop",
                tags=("Prod", "web tier"),
                owner="Ann Lee",
                texts={
                    "template": "heat_template_version: 2021\ndisk: big",
                    "events": "No valid host was found",
                },
                fields={"parameters.size": (5,), "outputs.url": ("http://x",)},
            ),
            resource(
                "db",
                path="shop/db/main",
                status="FAILED",
                reason="Disk full on host-7",
                physical_id="F00-123",
                drift="drifted",
                updated_at=at(100),
                fields={
                    "properties.flavor": ("m1.large",),
                    "attributes.flavor": ("m1.huge",),
                    "properties.ports": (80, 443, 8080),
                    "properties.on": (True,),
                },
            ),
            resource(
                "web",
                path="shop/web/main",
                description="full disk, the other way round",
                fields={
                    "properties.flavor": ("M1.Small",),
                    "properties.ports": (22,),
                    "properties.size": ("7", 2.5),
                    "properties.due": ("2026-01-02T00:00:00Z",),
                },
            ),
        )

    def assert_finds(self, expected: str, node: nodes.Node) -> None:
        self.assertEqual(expected, self.sorted_ids(node), repr(node))

    def test_all(self) -> None:
        self.fill()
        self.assert_finds("db s1 web", nodes.All())

    def test_words_anywhere(self) -> None:
        self.fill()
        for text, expected in (
            ("disk", "db s1 web"),
            ("disk full", "db"),
            ("full disk", "web"),
            ("host", "db s1"),
            ("host 7", "db"),
            ("failed", "db"),
            ("large", "db"),
            ("8080", "db"),
            ("prod", "s1"),
            ("drifted", "db"),
            ("f00 123", "db"),
            ("os nova", "db web"),
            ("full on host 7", "db"),
            ("full host", ""),
            ("absent", ""),
        ):
            self.assert_finds(expected, words(text))

    def test_words_stand_in_one_value(self) -> None:
        self.put(
            resource(
                "a",
                tags=("red", "wine"),
                fields={"properties.x": ("one", "two"), "outputs.y": ("six",)},
            )
        )
        for text in ("red wine", "one two", "two six", "six one"):
            self.assert_finds("", words(text))
        self.assert_finds("", words("red wine", "tags"))
        self.assert_finds("", words("one two", "x"))
        self.assert_finds("a", words("wine"))

    def test_prefixes(self) -> None:
        self.fill()
        for text, expected in (
            ("dis", "db s1 web"),
            ("disk fu", "db"),
            ("full di", "web"),
            ("di full", ""),
            ("m", "db web"),
            ("808", "db"),
            ("zz", ""),
        ):
            self.assert_finds(expected, words(text, is_prefix=True))

    def test_words_of_a_field(self) -> None:
        self.fill()
        for field, text, expected in (
            ("name", "shop", "s1"),
            ("path", "shop", "db s1 web"),
            ("path", "shop db", "db"),
            ("type", "nova server", "db web"),
            ("tags", "web tier", "s1"),
            ("tags", "tier", "s1"),
            ("owner", "lee", "s1"),
            ("reason", "disk", "db"),
            ("description", "disk", "web"),
            ("texts.template", "disk", "s1"),
            ("texts.template", "host", ""),
            ("texts.events", "valid host", "s1"),
            ("texts.other", "valid", ""),
            ("flavor", "large", "db"),
            ("flavor", "m1", "db web"),
            ("properties.flavor", "huge", ""),
            ("attributes.flavor", "huge", "db"),
            ("status", "failed", "db"),
            ("physical_id", "123", "db"),
            ("kind", "stack", "s1"),
            ("project_id", "p1", "db s1 web"),
            ("ports", "443", "db"),
            ("on", "true", "db"),
            ("created_at", "2023", ""),
            ("nothing", "disk", ""),
        ):
            self.assert_finds(expected, words(text, field))

    def test_prefixes_of_a_field(self) -> None:
        self.fill()
        for field, text, expected in (
            ("name", "sho", "s1"),
            ("flavor", "m1 l", "db"),
            ("reason", "disk f", "db"),
            ("texts.template", "temp", "s1"),
            ("physical_id", "f0", "db"),
        ):
            self.assert_finds(expected, words(text, field, is_prefix=True))

    def test_terms(self) -> None:
        self.fill()
        for field, value, expected in (
            ("flavor", "m1.large", "db"),
            ("flavor", "M1.HUGE", "db"),
            ("flavor", "m1.small", "web"),
            ("flavor", "m1", ""),
            ("properties.flavor", "m1.huge", ""),
            ("ports", "443", "db"),
            ("on", "true", "db"),
            ("size", "5", "s1"),
            ("size", "2.5", "web"),
            ("parameters.size", "7", ""),
            ("type", "os::nova::server", "db web"),
            ("type", "server", ""),
            ("status", "failed", "db"),
            ("tags", "prod", "s1"),
            ("tags", "web tier", "s1"),
            ("tags", "tier", ""),
            ("physical_id", "f00-123", "db"),
            ("stack_id", "s1", "db s1 web"),
            ("kind", "resource", "db web"),
            ("id", "resource/db", "db"),
            ("drift", "drifted", "db"),
            ("name", "web", "web"),
            ("path", "shop/db", "db"),
            ("path", "db/main", "db"),
            ("reason", "disk full", "db"),
            ("reason", "full disk", ""),
            ("owner", "ann", "s1"),
            ("texts.events", "valid host", "s1"),
            ("created_at", "1700000000", ""),
            ("nothing", "x", ""),
            ("url", "http://X ", "s1"),
        ):
            self.assert_finds(expected, nodes.Term(field, value))

    def test_terms_without_a_word(self) -> None:
        self.put(resource("a", name="--"), resource("b", name="++"))
        self.assert_finds("a", nodes.Term("name", "--"))
        self.assert_finds("", nodes.Term("name", "-"))

    def test_patterns(self) -> None:
        self.fill()
        for field, pattern, expected in (
            ("path", "*/db/*", "db"),
            ("path", "shop*", "db s1 web"),
            ("path", "shop", "s1"),
            ("path", "*MAIN", "db web"),
            ("path", "shop/??/main", "db"),
            ("flavor", "m1.*", "db web"),
            ("flavor", "*.l?rge", "db"),
            ("name", "w*", "web"),
            ("physical_id", "f0?-*", "db"),
            ("ports", "4*", "db"),
            ("texts.template", "*disk*", "s1"),
            ("name", "[w]eb", ""),
            ("name", "w%", ""),
            ("name", "w_b", ""),
        ):
            self.assert_finds(expected, nodes.Pattern(field, pattern))

    def test_ranges(self) -> None:
        self.fill()
        for node, expected in (
            (nodes.Range("ports", 400.0, 500.0), "db"),
            (nodes.Range("ports", 81.0, 442.0), ""),
            (nodes.Range("ports", high=22.0), "web"),
            (nodes.Range("ports", high=22.0, has_high=False), ""),
            (nodes.Range("ports", low=8080.0), "db"),
            (nodes.Range("ports", low=8080.0, has_low=False), ""),
            (nodes.Range("size", low=6.0), "web"),
            (nodes.Range("size", low=2.5, high=5.0), "s1 web"),
            (nodes.Range("parameters.size", low=0.0), "s1"),
            (nodes.Range("created_at", low=at(0)), "db s1 web"),
            (nodes.Range("updated_at", low=at(1)), "db"),
            (nodes.Range("updated_at", high=at(99)), ""),
            (nodes.Range("due", low=at(0)), "web"),
            (nodes.Range("on", low=0.0), ""),
            (nodes.Range("flavor", low=0.0), ""),
            (nodes.Range("ports"), "db web"),
        ):
            self.assert_finds(expected, node)

    def test_exists(self) -> None:
        self.fill()
        for field, expected in (
            ("reason", "db"),
            ("tags", "s1"),
            ("updated_at", "db"),
            ("flavor", "db web"),
            ("attributes.flavor", "db"),
            ("texts.template", "s1"),
            ("texts.none", ""),
            ("owner", "s1"),
            ("name", "db s1 web"),
            ("nothing", ""),
        ):
            self.assert_finds(expected, nodes.Exists(field))

    def test_empty_values_are_not_there(self) -> None:
        self.put(resource("a", fields={"properties.x": ("", "  ")}))
        self.assert_finds("", nodes.Exists("x"))
        self.assert_finds("", nodes.Term("x", ""))
        self.assert_finds("", nodes.Pattern("x", "*"))

    def test_and_or_not(self) -> None:
        self.fill()
        disk, full = words("disk"), words("full")
        failed = nodes.Term("status", "FAILED")
        for node, expected in (
            (nodes.And((disk, full)), "db web"),
            (nodes.And((disk, nodes.Not(full))), "s1"),
            (nodes.Or((failed, nodes.Term("name", "shop"))), "db s1"),
            (nodes.Not(failed), "s1 web"),
            (nodes.Not(nodes.Not(failed)), "db"),
            (nodes.Not(nodes.All()), ""),
            (nodes.And((nodes.Not(failed), nodes.Not(disk))), ""),
            (nodes.Or((nodes.Not(disk), failed, full)), "db web"),
        ):
            self.assert_finds(expected, node)

    def test_very_long_values(self) -> None:
        first, second = "ab " * 200 + "x", "ab " * 200 + "y"
        self.put(
            resource("a", fields={"properties.it": (first,)}),
            resource("b", fields={"properties.it": (second,)}),
        )
        for node, expected in (
            (nodes.Term("it", first), "a"),
            (nodes.Term("it", second.upper()), "b"),
            (nodes.Pattern("it", "ab*y"), "b"),
            (nodes.Pattern("it", "ab*"), "a b"),
            (words("ab y", "it"), "b"),
            (words("ab x"), "a"),
            (nodes.Exists("it"), "a b"),
        ):
            self.assert_finds(expected, node)

    def test_very_long_words(self) -> None:
        first, second = "w" * 70, "w" * 64 + "other"
        self.put(resource("a", name=first))
        self.assert_finds("a", nodes.Words((first[:64],)))
        self.assert_finds("a", nodes.Words((second[:64],)))
        self.assert_finds("", nodes.Pattern("name", second))

    def test_s3_projects_see_their_own(self) -> None:
        mine, theirs = resource("a"), resource("b", project_id="p2")
        self.index.put([stacked(mine), stacked(theirs, stack_id="s2")])

        self.assertEqual(["a"], self.ids())
        self.assertEqual(["b"], self.ids(scope=samples.OTHER))
        both = port.Scope(frozenset({"p1", "p2", "p3"}))
        self.assertEqual(["a", "b"], self.ids(scope=both))
        self.assertEqual(["a", "b"], self.ids(scope=samples.ADMIN))
        self.assertEqual(["a", "b"], self.ids(scope=port.Scope(None)))
        self.assertEqual([], self.ids(scope=port.Scope(frozenset())))
        self.assertEqual(
            [], self.ids(nodes.Term("project_id", "p2"), samples.USER)
        )
        self.assertEqual(["a"], self.ids(nodes.Not(words("absent"))))

    def test_s3_fields_for_administrators(self) -> None:
        self.put(
            resource(
                "a",
                fields={"properties.host": ("front",)},
                admin={
                    "properties.host": ("canary7",),
                    "admin.node": ("canary8",),
                    "properties.rank": (17,),
                },
            )
        )
        project_admin = port.Scope(frozenset({"p1"}), is_admin=True)
        for node in (
            words("canary7"),
            words("canar", is_prefix=True),
            words("canary7", "host"),
            nodes.Term("host", "canary7"),
            nodes.Term("properties.host", "canary7"),
            nodes.Pattern("host", "can*"),
            nodes.Range("rank", 0.0, 20.0),
            nodes.Exists("node"),
            nodes.Exists("admin.node"),
        ):
            told = repr(node)
            self.assertEqual([], self.ids(node), told)
            self.assertEqual(["a"], self.ids(node, samples.ADMIN), told)
            self.assertEqual(["a"], self.ids(node, project_admin), told)
            self.assertEqual(["a"], self.ids(nodes.Not(node)), told)
            self.assertEqual([], self.ids(nodes.Not(node), samples.ADMIN))
        self.assertEqual(["a"], self.ids(nodes.Term("host", "front")))

    def test_s3_a_phrase_does_not_reach_into_admin_fields(self) -> None:
        self.put(
            resource(
                "a", fields={"properties.x": ("one",)}, admin={"y": ("two",)}
            )
        )
        self.assertEqual([], self.ids(words("one two"), samples.ADMIN))

    def test_s3_what_is_hidden(self) -> None:
        self.put(resource("a"), resource("b", is_hidden=True))

        self.assertEqual(["a"], self.ids())
        self.assertEqual([], self.ids(nodes.Not(nodes.Term("name", "a"))))
        self.assertEqual(["a", "b"], self.ids(scope=samples.ADMIN))

    def test_kinds(self) -> None:
        self.put(stack("s"), resource("r"))
        orphan = documents.Document(
            id="orphan/o",
            kind="orphan",
            stack_id="",
            root_id="",
            project_id="p1",
            path="o",
            name="o",
            type="OS::Nova::Server",
        )
        self.index.put([stacked(orphan, stack_id="orphans/p1", version=0)])

        for kinds, expected in (
            ({"stack"}, ["s"]),
            ({"resource"}, ["r"]),
            ({"orphan"}, ["o"]),
            ({"stack", "orphan"}, ["o", "s"]),
            (set(), ["o", "r", "s"]),
        ):
            found = self.ids(kinds=frozenset(kinds), sort=(port.Sort("name"),))
            self.assertEqual(expected, found)
