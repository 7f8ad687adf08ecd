"""Reads a template, text or object, and tells which version it is in."""

import collections.abc
import difflib
import itertools
import json

from orch import errors as base_errors
from orch.template import errors
from orch.template import limits as template_limits
from orch.template.language import versions
from orch.template.text import document
from orch.template.text import yaml_reader

_INVALID = "Template not in valid format:"
_MAX_KEYS = 20
"""Keys to look at for one that is misspelt."""


def read_template(
    written: object,
    limits: template_limits.Limits,
    file: str = "",
    source: str = "",
) -> document.Document:
    """Return the template as a document.

    :param written: text, or an object that was parsed already
    :param file: its name; empty for the template of the stack
    :param source: text that the object was parsed from, if that is known
    :raises orch.template.errors.FormatInvalid: it is no template
    :raises orch.template.errors.TooLarge: it is too long or too deep
    """
    if written is None:
        raise errors.FormatInvalid("No template specified")
    text = source
    is_text = isinstance(written, str)
    if isinstance(written, str):
        text = written
        document.check_size(text, limits)
        written = _parse_text(text, limits)
        if written is None:
            written = {}
    else:
        document.check_object(written, limits)
    if not isinstance(written, dict):
        raise errors.FormatInvalid(
            f"{_INVALID} The template is not a JSON object or YAML mapping."
        )
    if is_text and not versions.has_version(written):
        raise errors.FormatInvalid(
            f"{_INVALID} Template format version not found.",
            advice=_version_advice(written),
        )
    return document.Document(written, text, file)


def _version_advice(written: collections.abc.Iterable[str]) -> str:
    """Return how to say which version it is, by the key that comes nearest."""
    for key in itertools.islice(written, _MAX_KEYS):
        near = difflib.get_close_matches(key, versions.KEYS, n=1)
        if near:
            return f"Write {near[0]} for {key}."
    return f"Begin with a line such as {versions.LATEST}."


def _parse_text(text: str, limits: template_limits.Limits) -> object:
    """Return what the text says, as JSON when it is that, else as YAML."""
    if text.lstrip()[:1] == "{":
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            pass
        else:
            document.check_object(value, limits)
            return value
    try:
        return yaml_reader.read_yaml(text, limits)
    except yaml_reader.Unreadable as error:
        raise errors.FormatInvalid(
            f"{_INVALID} Error parsing template: {error.message}",
            [_problem(error)],
        ) from None


def _problem(error: yaml_reader.Unreadable) -> base_errors.Problem:
    return base_errors.Problem(
        error.message, line=error.line, column=error.column
    )
