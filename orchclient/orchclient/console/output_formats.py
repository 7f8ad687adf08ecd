"""Formats documents, maps and lists, for users and programs."""

import json
import typing

import yaml
from cliff import columns

LANGUAGES: typing.Final = ("yaml", "json")


class Lines(columns.FormattableColumn[object]):
    """A map or list: in lines for users, as it is for programs."""

    def human_readable(self) -> str:
        """Return it in lines; nothing where it is empty."""
        return document_text(self._value) if self._value else ""


class Redacted(columns.FormattableColumn[object]):
    """A value with sensitive parts: redacted for users, plain for programs."""

    def __init__(self, value: object, redacted: object) -> None:
        """Hold a value, and what users see instead of it."""
        super().__init__(value)
        self._redacted = redacted

    def human_readable(self) -> str:
        """Return what users see, a map or list in lines."""
        if isinstance(self._redacted, str):
            return self._redacted
        return document_text(self._redacted) if self._redacted else ""


def document_text(document: object, language: str = LANGUAGES[0]) -> str:
    """Format a document as text, with texts of several lines as such."""
    if language == "json":
        return json.dumps(document, indent=2, ensure_ascii=False)
    found: str = yaml.dump(
        document, Dumper=_Dumper, sort_keys=False, allow_unicode=True
    )
    return found.removesuffix("\n").removesuffix("\n...")


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as such."""


def _written(dumper: yaml.SafeDumper, words: str) -> yaml.ScalarNode:
    style = "|" if "\n" in words else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", words, style=style)


_Dumper.add_representer(str, _written)
