"""Writes the modules of ``orchclient.values``."""

import collections.abc
import functools
import inspect
import pathlib
import re
import subprocess
import sys
import textwrap
import typing

from tools.client_values import attributes
from tools.client_values import classes

ROOT: typing.Final = pathlib.Path(__file__).parents[2]
FIRST_LINE: typing.Final = (
    "# Written by `python -m tools.client_values` of the contract; do not"
    " edit it.\n"
)
_WIDTH: typing.Final = 79
_IVAR: typing.Final = re.compile(
    r"^:ivar (?P<key>\w+): (?P<text>.*(?:\n +.*)*)", re.MULTILINE
)
_LIBRARY: typing.Final = ("collections.abc", "dataclasses", "datetime")
_OURS: typing.Final = {
    "response_parser": "response_parser",
    "stack_identity": "stack_identity",
    "status_": "status as status_",
}
"""What is imported, by what stands before the dot where it is used."""

Values = collections.abc.Iterable[classes.Value]


def write_modules(values: Values) -> dict[str, str]:
    """Return the source of each module by its name.

    :raises TypeError: no class is of the facts in a field, or the field has
        a type that no parser reads
    """
    values = tuple(values)
    modules: dict[str, list[classes.Value]] = {}
    for each in values:
        modules.setdefault(find_module(each), []).append(each)
    by_facts = {each.facts: each for each in values}
    return {
        name: _format(_Module(name, found, by_facts).write())
        for name, found in modules.items()
    }


def find_module(value: classes.Value) -> str:
    """Return the name of the module that has a class."""
    return value.module or value.facts.__module__.rpartition(".")[2]


def read_docstring(facts: type) -> tuple[str, dict[str, str]]:
    """Return the first sentence about facts, and what is said of fields."""
    docstring = inspect.getdoc(facts) or ""
    first = " ".join(docstring.split("\n\n")[0].split())
    texts = {
        found["key"]: " ".join(found["text"].split())
        for found in _IVAR.finditer(docstring)
    }
    return first, texts


def _is_used(name: str, text: str) -> bool:
    return bool(re.search(rf"(?<![\w.]){re.escape(name)}\.", text))


def _say_in_python(text: str) -> str:
    """Return a text about JSON as one about what is parsed."""
    text = re.sub(r"\bnull\b", "``None``", text)
    return re.sub(r"^missing\b", "``ABSENT``", text)


class _Module:
    """Writes one module."""

    def __init__(
        self,
        name: str,
        values: collections.abc.Sequence[classes.Value],
        by_facts: collections.abc.Mapping[type, classes.Value],
    ) -> None:
        self._name = name
        self._values = values
        self._by_facts = by_facts
        self._imported: set[str] = set()

    def write(self) -> str:
        """Return its source, not formatted."""
        body = "\n\n".join(map(self._write_class, self._values))
        subject = f"Values of answers: {self._name.replace('_', ' ')}."
        return "\n".join(
            (
                FIRST_LINE + _write_docstring(subject),
                *self._write_imports(body),
                body,
            )
        )

    def _write_imports(self, body: str) -> list[str]:
        library = [each for each in _LIBRARY if _is_used(each, body)]
        ours = [
            f"from orchclient import {line}"
            for name, line in _OURS.items()
            if _is_used(name, body)
        ]
        return [
            "",
            *(f"import {each}" for each in library),
            "",
            *ours,
            *(
                f"from orchclient.values import {each}"
                for each in sorted(self._imported)
            ),
        ]

    def _refer(self, facts: type) -> str:
        """Return the name of the class of facts, as this module says it."""
        value = self._by_facts.get(facts)
        if value is None:
            raise TypeError(
                f"{facts.__name__} is missing in {classes.__name__}."
            )
        module = find_module(value)
        if module == self._name:
            return value.name
        self._imported.add(module)
        return f"{module}.{value.name}"

    def _write_class(self, value: classes.Value) -> str:
        found = list(attributes.make_attributes(value, self._refer))
        first, texts = read_docstring(value.facts)
        said = [
            f":ivar {each.name}: {_say_in_python(text)}"
            for each in found
            if (text := each.text or texts.get(each.key))
        ]
        bases = f"({value.methods})" if value.methods else ""
        if value.methods:
            self._imported.add(value.methods.partition(".")[0])
        lines = [
            "@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)",
            f"class {value.name}{bases}:",
            textwrap.indent(_write_docstring(first, said), "    "),
            *(f"    {self._write_field(value, each)}" for each in found),
            "",
            textwrap.indent(_write_of(value, found), "    "),
        ]
        return "\n".join(lines)

    def _write_field(
        self, value: classes.Value, attribute: attributes.Attribute
    ) -> str:
        annotation = attribute.annotation
        here = [each.name for each in self._values]
        later = here[here.index(value.name) :]
        if set(re.findall(r"(?<![\w.])\w+", annotation)) & set(later):
            annotation = f'"{annotation.strip(chr(34))}"'
        default = f" = {attribute.default}" if attribute.default else ""
        return f"{attribute.name}: {annotation}{default}"


def _write_of(
    value: classes.Value,
    found: collections.abc.Sequence[attributes.Attribute],
) -> str:
    given = [
        f"{each.name}: {each.annotation}"
        + (f" = {each.default}" if each.default else "")
        for each in found
        if not each.value
    ]
    parameters = ", ".join(("cls", "body: response_parser.Json", *given))
    arguments = "".join(
        f"        {each.name}={each.value or each.name},\n" for each in found
    )
    return (
        "@classmethod\n"
        f'def of({parameters}) -> "{value.name}":\n'
        '    """Return the value that a body describes."""\n'
        f"    return cls(\n{arguments}    )\n"
    )


def _write_docstring(
    first: str, more: collections.abc.Sequence[str] = ()
) -> str:
    paragraph = textwrap.fill(first, _WIDTH - 4, initial_indent='"""')
    if not more:
        return f'{paragraph}"""'
    lines = [
        textwrap.fill(
            each,
            _WIDTH - 4,
            subsequent_indent="    ",
            break_on_hyphens=False,
            break_long_words=False,
        )
        for each in more
    ]
    return "\n".join((paragraph, "", *lines, '"""'))


@functools.cache
def _format(source: str) -> str:
    return subprocess.run(
        (sys.executable, "-m", "ruff", "format", "--quiet", "-"),
        input=source,
        capture_output=True,
        check=True,
        cwd=ROOT,
        text=True,
    ).stdout
