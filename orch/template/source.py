"""Reads the document of a template, of a stack or of one that it holds."""

import collections.abc
import dataclasses
import difflib
import itertools
import json
import typing

from orch import errors as base_errors
from orch.template import errors
from orch.template import inputs
from orch.template import problems
from orch.template.language import versions
from orch.template.parameters import schema
from orch.template.text import document as document_
from orch.template.text import yaml_reader

NO_DESCRIPTION: typing.Final = "No description"

_INVALID = "Template not in valid format:"
_MAX_KEYS = 20
"""Keys to look at for one that is misspelt."""

Schemas = collections.abc.Mapping[str, schema.ParameterSchema]


@dataclasses.dataclass(frozen=True)
class Source:
    """A template as it is written, the same for all stacks made of it."""

    document: document_.Document
    version: versions.Version
    schemas: Schemas

    @property
    def description(self) -> object:
        """What the template says of itself, as written."""
        written = self.document.root.get(self.version.format.description)
        return written or NO_DESCRIPTION

    @property
    def parameter_groups(self) -> object:
        """How clients group the parameters; ``None`` for not at all."""
        section = self.version.format.parameter_groups
        return self.document.root.get(section) if section else None


def read_source(
    text: str,
    file: str,
    limits: inputs.Limits,
    report: problems.Report,
) -> Source | None:
    """Return the template in a file; ``None`` when it is not right so far.

    :param report: told of what is wrong
    """
    found = read_document(text, limits, report, file)
    if found is None:
        return None
    version = read_version(found, report)
    if version is None:
        return None
    before = len(report.faults)
    schemas = read_schemas(found, version, report)
    if len(report.faults) > before:
        return None
    return Source(found, version, schemas)


def read_document(
    written: object,
    limits: inputs.Limits,
    report: problems.Report,
    file: str = "",
    source: str = "",
) -> document_.Document | None:
    """Return the template as a document; ``None`` when it is none.

    :param file: its name; empty for the template of the stack
    :param source: text that an object was parsed from, if that is known
    :raises orch.template.errors.TooLarge: it is larger than allowed
    """
    try:
        return read_template(written, limits, file, source)
    except errors.FormatInvalid as error:
        fault = problems.fault_of(error, ())
        fault.document = document_.Document({}, file=file)
        report.add(fault)
        return None


def read_template(
    written: object,
    limits: inputs.Limits,
    file: str = "",
    source: str = "",
) -> document_.Document:
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
        document_.check_size(text, limits)
        written = _parse_text(text, limits)
        if written is None:
            written = {}
    else:
        document_.check_object(written, limits)
    if not isinstance(written, dict):
        raise errors.FormatInvalid(
            f"{_INVALID} The template is not a JSON object or YAML mapping."
        )
    if is_text and not versions.has_version(written):
        raise errors.FormatInvalid(
            f"{_INVALID} Template format version not found.",
            advice=_version_advice(written),
        )
    return document_.Document(written, text, file)


def _version_advice(written: collections.abc.Iterable[str]) -> str:
    """Return how to say which version it is, by the key that comes nearest."""
    for key in itertools.islice(written, _MAX_KEYS):
        near = difflib.get_close_matches(key, versions.KEYS, n=1)
        if near:
            return f"Write {near[0]} for {key}."
    return f"Begin with a line such as {versions.LATEST}."


def _parse_text(text: str, limits: inputs.Limits) -> object:
    """Return what the text says, as JSON when it is that, else as YAML."""
    if text.lstrip()[:1] == "{":
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            pass
        else:
            document_.check_object(value, limits)
            return value
    try:
        return yaml_reader.read_yaml(text, limits)
    except yaml_reader.Unreadable as error:
        raise errors.FormatInvalid(
            f"{_INVALID} Error parsing template: {error.message}",
            [
                base_errors.Problem(
                    error.message, line=error.line, column=error.column
                )
            ],
        ) from None


def read_version(
    document: document_.Document, report: problems.Report
) -> versions.Version | None:
    """Return the version that a template is in; ``None`` for no known one."""
    try:
        return versions.get_version(document.root)
    except errors.VersionInvalid as error:
        fault = problems.fault_of(
            error, versions.version_keys(document.root)[-1:]
        )
        fault.document = document
        report.add(fault)
        return None


def read_schemas(
    document: document_.Document,
    version: versions.Version,
    report: problems.Report,
) -> dict[str, schema.ParameterSchema]:
    """Return the schemas of the parameters that are defined rightly."""
    name = version.format.parameters
    section = document.root.get(name) or {}
    if not isinstance(section, dict):
        why = f'"{name}" must be a map. Found a {type(section).__name__}'
        report.add(
            problems.Fault((name,), f"{why} instead", document=document)
        )
        return {}
    schemas = {}
    for key, written in section.items():
        try:
            schemas[key] = schema.read_schema(key, written, version.format)
        except problems.Fault as fault:
            fault.document = document
            report.add(fault)
    return schemas


def with_defaults(
    schemas: Schemas, defaults: collections.abc.Mapping[str, object]
) -> Schemas:
    """Return the schemas with the defaults that an environment gives.

    What the template of a stack in a stack has for a default does not
    matter then, be it even wrong. That of the stack itself does.
    """
    return {
        name: one
        if defaults.get(name) is None
        else dataclasses.replace(one, default=defaults[name])
        for name, one in schemas.items()
    }
