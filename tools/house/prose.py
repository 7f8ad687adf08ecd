"""Finds idioms in documents and messages: ``python -m tools.house.prose``.

Checked are the sentences of documents, and the string literals of several
words in the packages: neither code nor docstrings. ``rooms.toml`` lists the
files that quote such words, and why.
"""

import ast
import collections.abc
import re
import sys

from tools.house import first_lines
from tools.house import walk

Texts = collections.abc.Iterator[tuple[str, int, str]]

# A fence of Markdown, a literal block, a literal within a sentence.
_CODE = re.compile(
    r"^```[\s\S]*?^```$"
    r"|^( *)(?:\.\. code-block::|(?!\.\. ).*::$).*\n(?:\1 +.*\n|\n)+"
    r"|(`+)[^`]+\2",
    re.MULTILINE,
)


def iterate_texts(path: str, text: str) -> Texts:
    """Return the sentences of a document, with spaces in place of code."""
    if path.endswith((".rst", ".md")):
        blank = _CODE.sub(lambda found: re.sub(r"\S", " ", found[0]), text)
        yield path, 1, blank


def iterate_messages(source: walk.Source) -> Texts:
    """Return each string of several words, unless it is a docstring."""
    docstrings = {
        node.value for node in source.nodes if isinstance(node, ast.Expr)
    }
    for node in source.nodes:
        match node:
            case ast.Constant(value=str(text)) if " " in text:
                if node not in docstrings:
                    yield source.path, node.lineno, text


def check(
    texts: Texts,
    idioms: first_lines.Idioms,
    quoting: collections.abc.Iterable[str],
) -> collections.abc.Iterator[walk.Problem]:
    """Return the idioms of texts, each with its line and what to say."""
    for path, line, text in texts:
        for idiom, say in idioms.items():
            pattern = rf"\b(?:{idiom})\b".replace(" ", r"\s+")
            for found in re.finditer(pattern, text, re.IGNORECASE):
                if not walk.is_in(path, quoting):
                    at = line + text.count("\n", 0, found.start())
                    word = " ".join(found[0].split())
                    yield walk.Problem(path, at, f'"{word}", say: {say}')


def main() -> int:
    """Check all documents and messages, and print what is wrong."""
    words = walk.load_data("words.toml")
    texts = [each for one in walk.load_texts() for each in iterate_texts(*one)]
    for source in walk.load_sources():
        if not walk.is_skipped(source.path):
            texts += iterate_messages(source)
    problems = list(
        check(
            iter(texts),
            {**words["idioms"], **words["prose_idioms"]},
            walk.load_data("rooms.toml")["quoting"],
        )
    )
    for each in problems:
        print(each)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
