"""Checks first lines of docstrings: ``python -m tools.house.first_lines``.

One sentence of at most 15 words, with a period at its end, and none of the
idioms that demand a second reading. Checked are all modules and classes, and
the public functions and methods of the rooms that others read first. Help
texts of options and commands may be longer, but have no such idiom either.
``rooms.toml`` lists the rooms that are still to be rewritten.
"""

import ast
import collections.abc
import re
import sys

from tools.house import walk

MAX_WORDS = 15
# In these rooms public functions and methods are checked, too.
FUNCTION_ROOMS = (
    "orch/plugin/",
    "orch/engine/",
    "orch/flow/",
    "orch/search/",
    "orchclient/",
    "contrib/",
)
_END = re.compile(r"[.!?](?=\s|$)")
_ROLE = re.compile(r":[a-z:]+:`~?([^`<]*)(?:<[^>]*>)?`|``([^`]*)``")

Idioms = collections.abc.Mapping[str, str]


def find_problem(docstring: str | None, idioms: Idioms) -> str | None:
    """Return what is wrong with the first line of a docstring.

    :param idioms: regular expression, found anywhere in the first sentence,
        to what to write
    """
    if not docstring or not docstring.strip():
        return "has no docstring"
    paragraph = " ".join(docstring.strip().split("\n\n")[0].split())
    plain = _ROLE.sub("CODE", paragraph)
    end = _END.search(plain)
    if end is None:
        return f'first sentence has no period: "{paragraph[:60]}"'
    sentence = plain[: end.end()]
    count = len(sentence.split())
    if count > MAX_WORDS:
        return f'first sentence has {count} words: "{paragraph[:60]}"'
    return find_idiom(sentence, idioms)


def find_idiom(text: str, idioms: Idioms) -> str | None:
    """Return which idiom a text has, and what to write."""
    for idiom, instead in idioms.items():
        if found := re.search(rf"\b(?:{idiom})\b", text, re.IGNORECASE):
            return f'"{found[0]}", say: {instead}'
    return None


def iterate_helps(
    source: walk.Source,
) -> collections.abc.Iterator[tuple[int, str]]:
    """Return line and text of each help of an option or a command."""
    for node in source.nodes:
        if isinstance(node, ast.keyword) and node.arg == "help":
            texts = [
                each.value
                for each in ast.walk(node.value)
                if isinstance(each, ast.Constant)
                and isinstance(each.value, str)
            ]
            yield node.value.lineno, "".join(texts)


def iterate_docstrings(
    source: walk.Source,
) -> collections.abc.Iterator[tuple[int, str, str | None]]:
    """Return line, name and docstring of each definition to check."""
    yield 1, "module", ast.get_docstring(source.tree)
    yield from _iterate_body(
        source.tree.body, source.path.startswith(FUNCTION_ROOMS)
    )


def _iterate_body(
    body: collections.abc.Sequence[ast.stmt], has_functions: bool
) -> collections.abc.Iterator[tuple[int, str, str | None]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield node.lineno, node.name, _find_docstring(node)
            yield from _iterate_body(
                node.body, has_functions and not node.name.startswith("_")
            )
        elif (
            has_functions
            and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and not node.name.startswith("_")
            and (docstring := ast.get_docstring(node)) is not None
        ):
            yield node.lineno, node.name, docstring


def _find_docstring(node: ast.ClassDef) -> str | None:
    """Return the docstring of a class; a private one may lack it."""
    docstring = ast.get_docstring(node)
    if docstring is None and node.name.startswith("_"):
        return "Private."
    return docstring


def check(
    source: walk.Source, idioms: Idioms
) -> collections.abc.Iterator[walk.Problem]:
    """Return what is wrong in the first lines of a file, unless skipped."""
    if walk.is_skipped(source.path):
        return
    for line, name, docstring in iterate_docstrings(source):
        if text := find_problem(docstring, idioms):
            yield walk.Problem(source.path, line, f"{name}: {text}")
    for line, text in iterate_helps(source):
        if idiom := find_idiom(text, idioms):
            yield walk.Problem(source.path, line, f"help: {idiom}")


def main() -> int:
    """Check all first lines, and print what is wrong."""
    idioms = walk.load_data("words.toml")["idioms"]
    problems = [
        problem
        for source in walk.load_sources()
        for problem in check(source, idioms)
    ]
    for each in problems:
        print(each)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
