"""The documents list every decision, under its own title."""

import pathlib

from tests import base

_RECORDS = pathlib.Path("doc/adr")
_LIST = pathlib.Path("doc/source/contributor/decisions.rst")


class DecisionsTests(base.TestCase):
    def test_each_record_is_listed_with_its_title(self) -> None:
        records = sorted(_RECORDS.glob("[0-9]*.md"))
        listed = _LIST.read_text(encoding="utf-8")

        self.assertNotEqual([], records)
        for record in records:
            first = record.read_text(encoding="utf-8").splitlines()[0]
            title = first.partition(". ")[2]
            self.assertIn(f"``{record.name}``\n   {title}\n", listed)
