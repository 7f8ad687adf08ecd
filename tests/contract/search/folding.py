"""Text is compared without case, accents and compatibility forms."""

import itertools

from orch.search import tokenizer
from orch.search.index import port
from orch.search.query import nodes
from tests.contract.search import cases
from tests.contract.search import samples
from tests.contract.search.samples import resource

_FIELDS = ("name", "path", "type", "owner", "physical_id", "reason", "tags")
_PROPERTY = "properties.city"


def _words(text: str, field: str = "", is_prefix: bool = False) -> nodes.Words:
    return nodes.Words(tuple(tokenizer.split_words(text)), is_prefix, field)


class Folding(cases.Case):
    def put_everywhere(self, number: str, text: str) -> None:
        """Put a document that has a text in each of several fields."""
        found = resource(
            number,
            **{each: text for each in _FIELDS if each != "tags"},
            tags=(text,),
            fields={_PROPERTY: (text,)},
            texts={"template": text},
        )
        self.index.put([samples.stacked(found, stack_id=number)])

    def assert_words(self, text: str, expected: str) -> None:
        """Check what has the words of a text, anywhere and in each field."""
        self.assertEqual(expected, self.sorted_ids(_words(text)), text)
        for field in (*_FIELDS, _PROPERTY, "city", "texts.template"):
            found = self.sorted_ids(_words(text, field))
            self.assertEqual(expected, found, (field, text))

    def test_words_without_accents_case_and_width(self) -> None:
        self.put_everywhere("a", "Zürich Hauptbahnhof")
        self.put_everywhere("b", "zurich")
        self.put_everywhere("c", "ＺＵＲＩＣＨ-Zu\u0308rich")
        self.put_everywhere("d", "Łódź Straße Ørsted Ærø İzmir ﬁn")
        self.put_everywhere("e", "Київ ёлка Ελλάς ガス")
        for text in ("Zurich", "zürich", "ZU\u0308RICH", "ｚｕｒｉｃｈ"):
            self.assert_words(text, "a b c")
        for text in ("zürich zurich", "ＺＵＲＩＣＨ Zürich"):
            self.assert_words(text, "c")
        for text in ("lodz", "STRASSE", "orsted aero", "izmir", "fin"):
            self.assert_words(text, "d")
        for text in ("КИЇВ", "елка", "ελλας", "ｶﾞｽ"):
            self.assert_words(text, "e")
        for text in ("zuerich", "カス", "ки"):
            self.assert_words(text, "")

    def test_whole_values_and_patterns_are_folded(self) -> None:
        self.put_everywhere("a", "Zürich")
        self.put_everywhere("b", "ＺＵＲＩＣＨ")
        self.put_everywhere("c", "zurich west")
        for field in ("type", "physical_id", "tags", _PROPERTY, "city"):
            for text in ("zurich", "ZÜRICH", "ｚürich"):
                found = self.sorted_ids(nodes.Term(field, text))
                self.assertEqual("a b", found, (field, text))
        for field in (*_FIELDS, _PROPERTY, "texts.template"):
            for pattern, expected in (
                ("zür*", "a b c"),
                ("*ÜRICH", "a b"),
                ("z?rich*", "a b c"),
                ("ｚ*west", "c"),
            ):
                found = self.sorted_ids(nodes.Pattern(field, pattern))
                self.assertEqual(expected, found, (field, pattern))

    def test_ids_are_folded(self) -> None:
        self.index.put(
            [samples.stacked(resource("Zürich"), stack_id="a")],
        )
        for text in ("resource/zurich", "RESOURCE/ZÜRICH"):
            for node in (nodes.Term("id", text), nodes.Pattern("id", text)):
                self.assertEqual(["Zürich"], self.ids(node), text)
        for pattern in ("*/zur*", "resource/z?rich"):
            self.assertEqual(
                ["Zürich"], self.ids(nodes.Pattern("id", pattern))
            )

    def test_symbols_end_words(self) -> None:
        self.put_everywhere("a", "Foo™ bar®x ㎏ 5№7")
        for text in ("foo", "foo bar", "bar x", "x 5", "5 7", "Foo™ Bar®"):
            self.assert_words(text, "a")
        for text in ("footm", "barx", "kg", "5no7"):
            self.assert_words(text, "")

    def test_an_ideograph_is_a_word(self) -> None:
        self.put_everywhere("a", "北京市")
        self.put_everywhere("b", "京都 web中文")
        self.put_everywhere("c", "北 京")
        for text, expected in (
            ("京", "a b c"),
            ("北京", "a c"),
            ("京市", "a"),
            ("京北", ""),
            ("北市", ""),
            ("web", "b"),
            ("web中文", "b"),
            ("都 web 中", "b"),
            ("we", ""),
        ):
            self.assert_words(text, expected)
        self.assertEqual("a", self.sorted_ids(_words("北京市", "", True)))
        self.assertEqual("b", self.sorted_ids(_words("都we", "", True)))
        for pattern, expected in (
            ("北*", "a c"),
            ("*京?", "a"),
            ("?京*", "a"),
        ):
            for field in ("name", "path", "reason", _PROPERTY):
                found = self.sorted_ids(nodes.Pattern(field, pattern))
                self.assertEqual(expected, found, (field, pattern))

    def test_the_score_does_not_depend_on_accents(self) -> None:
        self.put(
            resource("a", name="Café", path="x"),
            resource("b", path="x/café"),
            resource("c", path="x", tags=("Café 北京 дом",)),
            resource("d", path="x", reason="cafe 北京 дом"),
            resource("e", path="x", name="北京 дом"),
            resource("f", path="x", name="домик"),
        )
        for text, scores in (
            ("cafe", {"a": 8.0, "b": 4.0, "c": 2.0, "d": 1.0}),
            ("北京", {"e": 8.0, "c": 2.0, "d": 1.0}),
            ("京 дом", {"e": 8.0, "c": 2.0, "d": 1.0}),
            ("ДОМ", {"e": 8.0, "c": 2.0, "d": 1.0}),
        ):
            for sort in ((), (port.Sort("name"),)):
                found = self.index.search(
                    samples.query(_words(text), sort=sort)
                )
                told = {
                    each.document.id.partition("/")[2]: each.score
                    for each in found.hits
                }
                self.assertEqual(scores, told, (text, sort))

    def test_orders_are_without_accents_and_facets_as_written(self) -> None:
        for number, text in enumerate(
            ("apple", "Älg", "ａm", "zebra", "Ángel")
        ):
            self.put_everywhere(str(number), text)
        for field in ("name", "path", "type", "tags", _PROPERTY):
            for is_descending, expected in ((False, "12403"), (True, "30421")):
                sort = (port.Sort(field, is_descending),)
                found = "".join(self.ids(sort=sort))
                self.assertEqual(expected, found, field)
        facets = (port.Facet("tags"), port.Facet(_PROPERTY))
        found = self.index.search(samples.query(facets=facets))
        for counted in found.facets.values():
            self.assertEqual(
                {"apple", "Älg", "ａm", "zebra", "Ángel"},
                {value for value, _ in counted},
            )

    def test_what_grows_when_it_is_folded_is_put(self) -> None:
        ligatures = [chr(code) for code in range(0xFDF1, 0xFDFA)]
        several = itertools.product(ligatures, repeat=6)
        found = map("".join, itertools.islice(several, 24_000))
        texts = {"template": " ".join(found)}
        self.put(resource("a", name="Café", texts=texts))
        self.assertEqual(["a"], self.ids(_words("cafe")))
