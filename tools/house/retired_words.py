"""Finds retired words in names: ``python -m tools.house.retired_words``.

What they are, and what to say, stands in ``words.toml``; the glossary of the
documents shows the same list. ``--write`` brings its table up to date. In
documents, samples and examples the names of several words, the flags and the
error codes are checked; in tests, tools and bench the names of modules,
classes, functions, methods and fields, except methods that are tests: those
are sentences.
"""

import argparse
import collections.abc
import itertools
import re
import sys

from tools.house import walk

TABLE = walk.ROOT / "doc" / "source" / "contributor" / "retired_words.inc"
_NAME = re.compile(r"[^\s,;]*_[^\s,;]*")
# Which table of whole names holds for which kinds.
_WHOLE = {
    "module": "modules",
    "class": "classes",
    "function": "functions",
    "field": "fields",
    "column": "fields",
    "key": "fields",
    "option": "options",
    "flag": "flags",
    "code": "codes",
}
_TEST_KINDS = ("module", "class", "function", "method", "field")
# Tables of words, and what they hold for.
SECTIONS = {
    "everywhere": "all kinds",
    "modules": "modules",
    "classes": "classes",
    "functions": "public functions of a module",
    "options": "options",
    "fields": "fields, columns, keys",
    "flags": "flags",
    "codes": "error codes",
}

Words = collections.abc.Mapping[str, collections.abc.Mapping[str, str]]


def find_word(name: walk.Name, words: Words) -> tuple[str, str] | None:
    """Return the retired word in a name, and what to say."""
    if name.name in words["allowed"] or name.name.startswith("__"):
        return None
    if table := _WHOLE.get(name.kind):
        found = words[table].get(name.name)
        if found is not None:
            return name.name, found
    own = name.name.partition(".")[2] if name.kind == "option" else name.name
    row = f"_{'_'.join(walk.split(own))}_"
    for word, instead in words["everywhere"].items():
        if f"_{word}_" in row:
            return word, instead
    return None


def check(
    names: collections.abc.Iterable[walk.Name], words: Words
) -> list[walk.Problem]:
    """Return the names that have a retired word, with what to say."""
    problems = []
    for name in names:
        if found := find_word(name, words):
            word, instead = found
            problems.append(
                walk.Problem(
                    name.path,
                    name.line,
                    f'{name.kind} {name.name}: "{word}" is retired,'
                    f" say: {instead}",
                )
            )
    return problems


def iterate_names(
    sources: collections.abc.Iterable[walk.Source],
    texts: collections.abc.Iterable[tuple[str, str]],
) -> collections.abc.Iterator[walk.Name]:
    """Return the names that sources define, and that texts write.

    :param texts: path and text of each document
    """
    for source in sources:
        if not walk.is_skipped(source.path):
            yield from walk.iterate_names(source)
    for path, text in texts:
        yield from walk.iterate_written(path, text)


def iterate_test_names(
    sources: collections.abc.Iterable[walk.Source],
) -> collections.abc.Iterator[walk.Name]:
    """Return the names that files of tests and tools define."""
    for source in sources:
        for name in walk.iterate_names(source):
            is_test = name.kind == "method" and name.name.startswith("test_")
            if name.kind in _TEST_KINDS and not is_test:
                yield name


def format_table(words: Words) -> str:
    """Return the retired words as the glossary shows them."""
    lines = [
        ".. Written by python -m tools.house.retired_words --write",
        "",
        ".. list-table::",
        "   :header-rows: 1",
        "   :widths: 40 20 40",
        "",
        "   * - retired",
        "     - in names of",
        "     - say",
    ]
    for section, kind in SECTIONS.items():
        for word, instead in words[section].items():
            shown = _NAME.sub(r"``\g<0>``", instead)
            lines += [
                f"   * - ``{word}``",
                f"     - {kind}",
                f"     - {shown}",
            ]
    return "\n".join(lines) + "\n"


def main(args: collections.abc.Sequence[str] | None = None) -> int:
    """Check all names, and that the glossary shows the same list."""
    parser = argparse.ArgumentParser(description="Find retired words.")
    parser.add_argument(
        "--write", action="store_true", help="write the glossary's table"
    )
    words = walk.load_data("words.toml")
    table = format_table(words)
    if parser.parse_args(args).write:
        TABLE.write_text(table, encoding="utf-8")
    names = itertools.chain(
        iterate_names(walk.load_sources(), walk.load_texts()),
        iterate_test_names(walk.load_sources(walk.TEST_PACKAGES)),
    )
    problems = check(names, words)
    if not TABLE.exists() or TABLE.read_text(encoding="utf-8") != table:
        shown = TABLE.relative_to(walk.ROOT).as_posix()
        problems.append(
            walk.Problem(shown, 1, "differs from words.toml: use --write")
        )
    for each in problems:
        print(each)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
