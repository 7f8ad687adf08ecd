import dataclasses
import re

from orch.search.query import highlighting
from orch.search.query import language
from tests import base
from tests.unit.search.query import samples


class Counted(highlighting.Budget):
    """Counts what is spent."""

    def __init__(self, steps: int = highlighting.MAX_STEPS) -> None:
        super().__init__(steps)
        self.spent = 0

    def spend(self, steps: int) -> None:
        self.spent += steps
        super().spend(steps)


class HighlightingTest(base.TestCase):
    def marks(
        self, text: str, name: str = "web", is_admin: bool = False
    ) -> dict[str, list[str]]:
        node = language.parse_query(text, samples.NOW)
        return highlighting.find_fragments(node, samples.ALL[name], is_admin)

    def test_s6_what_fits_is_marked_and_the_rest_escaped(self) -> None:
        self.assertEqual(
            {
                "reason": [
                    "No valid host: <em>disk full</em> &lt;<em>now</em>&gt;"
                ]
            },
            self.marks('"disk full" now -web'),
        )

    def test_s1_the_path_to_a_hit(self) -> None:
        self.assertEqual(
            {"path": ["shop/<em>db</em>/server"]}, self.marks("db", "db")
        )
        self.assertEqual(
            {"path": ["<em>shop/db/server</em>"]},
            self.marks("path:*/db/*", "db"),
        )

    def test_fields_that_fit(self) -> None:
        self.assertEqual(
            {
                "properties.flavor": ["<em>m1.large</em>"],
                "properties.size": ["<em>5</em>"],
                "status": ["<em>FAILED</em>"],
            },
            self.marks("flavor:m1.large status:failed size:<=5"),
        )

    def test_texts_and_tags(self) -> None:
        self.assertEqual(
            {
                "tags": ["<em>Green tea</em>"],
                "texts.template": [
                    "resources: {web: {<em>flavor</em>: m1.large}}"
                ],
            },
            self.marks("template:flavor tag:green*", "shop"),
        )

    def test_s3_users_see_nothing_of_what_is_for_administrators(self) -> None:
        self.assertEqual({}, self.marks("host worker:host-7", "shop"))
        self.assertEqual(
            {"operation.worker": ["<em>host-7</em>"]},
            self.marks("host worker:host-7", "shop", True),
        )

    def test_fragments_are_few_and_short(self) -> None:
        text = "".join(
            f"{number} {'ordinary words ' * 40} {number} <needle> "
            for number in range(9)
        )
        document = dataclasses.replace(samples.SHOP, texts={"events": text})
        node = language.parse_query("event:needle", samples.NOW)

        found = highlighting.find_fragments(node, document, False)

        (pieces,) = found.values()
        self.assertEqual(3, len(pieces))
        for each in pieces:
            plain = each.replace("<em>", "").replace("</em>", "")
            plain = plain.replace("&lt;", "<").replace("&gt;", ">")
            self.assertLessEqual(len(plain), 150)
            self.assertIn("&lt;<em>needle</em>&gt;", each)

    def test_no_fragment_marks_half_a_hit(self) -> None:
        node = language.parse_query(
            'event:(hello OR "ten words")', samples.NOW
        )
        for gap in range(80, 160):
            text = f"hello {'x' * gap} hello ten words {'y' * 200} hello"
            document = dataclasses.replace(
                samples.SHOP, texts={"events": text}
            )
            found = highlighting.find_fragments(node, document, False)
            pieces = found["texts.events"]
            marks = re.findall("<em>(.*?)</em>", " ".join(pieces))
            self.assertEqual(
                ["hello", "hello", "ten words", "hello"], marks, repr(gap)
            )
            for each in pieces:
                plain = re.sub("</?em>", "", each)
                self.assertLessEqual(len(plain), 150, each)
                self.assertNotIn("hello", re.sub("<em>.*?</em>", "", each))

    def test_a_long_hit_is_marked_from_its_beginning(self) -> None:
        for length in (40, 120, 150, 151, 400):
            phrase = ("abcdefgh " * 50)[: length - 1] + "z"
            document = dataclasses.replace(
                samples.SHOP, texts={"events": f"{'x ' * 90}{phrase} end"}
            )
            node = language.parse_query(f'event:"{phrase}"', samples.NOW)
            found = highlighting.find_fragments(node, document, False)
            (piece,) = found["texts.events"]
            (marked,) = re.findall("<em>(.*?)</em>", piece)
            self.assertEqual(phrase[:150], marked)

    def test_letters_that_grow_without_their_case(self) -> None:
        document = dataclasses.replace(
            samples.SHOP, texts={}, description="STRAßE nach İzmir, bald"
        )
        node = language.parse_query("strasse OR bald", samples.NOW)

        self.assertEqual(
            {
                "description": [
                    "<em>STRAßE</em> nach İzmir, <em>bald</em>",
                ]
            },
            highlighting.find_fragments(node, document, False),
        )

    def test_long_texts_are_marked_as_short_ones(self) -> None:
        text = "Ends with Disk full, disks full-size, a disk_full; " + "x" * 70
        filler = "adisk disko, fulls; " * 400
        for asked, expected in (
            ('"disk full"', ["Disk full", "disk_full"]),
            ('"disk full-s"*', []),
            ('"disks full-s"*', ["disks full-size"]),
            ("full", ["full", "full", "full"]),
            ("disk", ["Disk", "disk"]),
            ("en*", ["Ends"]),
            ("x" * 64, ["x" * 70]),
        ):
            node = language.parse_query(f"event:{asked}", samples.NOW)
            for told in (text, filler + text):
                document = dataclasses.replace(
                    samples.SHOP, texts={"events": told}
                )
                found = highlighting.find_fragments(node, document, False)
                pieces = " ".join(found.get("texts.events", []))
                marks = re.findall("<em>(.*?)</em>", pieces)
                self.assertEqual(expected, marks, asked)

    def test_the_original_text_is_shown_of_what_was_folded(self) -> None:
        text = "ＺＵＲＩＣＨ™, Zu\u0308rich, Café北京: ﬁn"
        aligned = "Zürich, Äpfel, 北京市; Café™"
        for told, asked, expected in (
            (text, "zurich", ["ＺＵＲＩＣＨ", "Zu\u0308rich"]),
            (text, "cafe", ["Café"]),
            (text, "京", ["京"]),
            (text, "北京", ["北京"]),
            (text, "fi*", ["ﬁn"]),
            (text, "zurichtm", []),
            (aligned, "zurich", ["Zürich"]),
            (aligned, "apf*", ["Äpfel"]),
            (aligned, '"京市 cafe"', ["京市; Café"]),
            (aligned, "cafetm", []),
        ):
            node = language.parse_query(f"event:{asked}", samples.NOW)
            for events in (told, f"{'ädisk 市都; ' * 900}{told}"):
                document = dataclasses.replace(
                    samples.SHOP, texts={"events": events}
                )
                found = highlighting.find_fragments(node, document, False)
                pieces = " ".join(found.get("texts.events", []))
                marks = re.findall("<em>(.*?)</em>", pieces)
                self.assertEqual(expected, marks, asked)

    def test_a_budget_is_for_all_hits_together(self) -> None:
        events = "anyone aims at a1 or 1a, as all do; " * 2_000
        document = dataclasses.replace(samples.SHOP, texts={"events": events})
        node = language.parse_query("a* OR b* OR 1*", samples.NOW)
        budget = highlighting.Budget(len(events) * 7)
        told = [
            highlighting.find_fragments(node, document, False, budget)
            for _ in range(9)
        ]
        counts = [len(each.get("texts.events", [])) for each in told]
        self.assertEqual(3, counts[0])
        self.assertEqual(sorted(counts, reverse=True), counts)
        self.assertEqual(0, counts[-1])
        self.assertTrue(budget.is_spent())

    def test_few_steps_are_spent_on_what_does_not_fit(self) -> None:
        document = dataclasses.replace(
            samples.SHOP, texts={"events": "x" * 160_000}
        )
        for asked, least, most in (
            ("event:zebra", 10_000, 20_000),
            ("event:*zebra*", 160_000 * 7, 160_000 * 8),
            ("zebra:1", 1, 1_000),
        ):
            budget = Counted()
            node = language.parse_query(asked, samples.NOW)
            found = highlighting.find_fragments(node, document, False, budget)
            self.assertEqual({}, found)
            self.assertTrue(least <= budget.spent <= most, budget.spent)

    def test_many_conditions_end_with_the_budget(self) -> None:
        looks = " OR ".join(f"w{number}" for number in range(150))
        node = language.parse_query(f"({looks})", samples.NOW)
        budget = Counted(1_000)
        highlighting.find_fragments(node, samples.SHOP, False, budget)
        self.assertTrue(1_000 <= budget.spent < 1_200, budget.spent)

    def test_moments_and_what_is_not_there_have_no_marks(self) -> None:
        self.assertEqual({}, self.marks("created:>2020 zebra name:*"))
