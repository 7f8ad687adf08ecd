"""Documents and messages have no idiom that demands a second reading."""

from tests import base
from tools.house import prose
from tools.house import walk

IDIOMS = {"nobody": "none", "under way": "in progress"}
DOCUMENT = """\
Nobody reads ``nobody``, and an operation is under
way::

   nobody

- Nobody

  .. code-block:: console

     $ nobody

.. note:: Nobody
"""
MARKDOWN = """\
`nobody` and nobody

```
nobody
```
"""
SOURCE = '''\
"""Nobody reads it."""

def act(name):
    """Tell nobody."""
    kind = "nobody"
    raise ValueError(
        "an operation is under way,"
        f" and nobody of {name}"
    )
'''


class ProseTests(base.TestCase):
    def find(self, texts: prose.Texts, *quoting: str) -> list[str]:
        found = prose.check(texts, IDIOMS, quoting)
        return sorted(str(each) for each in found)

    def test_sentences_are_checked_and_code_is_not(self) -> None:
        self.assertEqual(
            [
                'a.rst:12: "Nobody", say: none',
                'a.rst:1: "Nobody", say: none',
                'a.rst:6: "Nobody", say: none',
            ],
            self.find(prose.iterate_texts("a.rst", DOCUMENT)),
        )
        self.assertEqual(
            ['a.md:1: "nobody", say: none'],
            self.find(prose.iterate_texts("a.md", MARKDOWN)),
        )

    def test_an_idiom_may_go_on_in_the_next_line(self) -> None:
        texts = prose.iterate_texts("a.rst", "It is under\nway.\n")

        self.assertEqual(
            ['a.rst:1: "under way", say: in progress'], self.find(texts)
        )

    def test_only_documents_are_read_as_documents(self) -> None:
        self.assertEqual(
            [], self.find(prose.iterate_texts("a.json", "nobody"))
        )

    def test_messages_are_checked_and_docstrings_are_not(self) -> None:
        source = walk.parse("orch/a.py", SOURCE)

        self.assertEqual(
            [
                'orch/a.py:7: "nobody", say: none',
                'orch/a.py:7: "under way", say: in progress',
            ],
            self.find(prose.iterate_messages(source)),
        )

    def test_a_file_that_quotes_is_left_out(self) -> None:
        texts = prose.iterate_texts("doc/a.rst", "Nobody")

        self.assertEqual([], self.find(texts, "doc/"))
