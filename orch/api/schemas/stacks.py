"""The body that describes a stack: create, preview, validate."""

import collections.abc
import functools
import typing

from orch import errors
from orch.api import errors as api_errors
from orch.api import query
from orch.api import web
from orch.api.schemas import checker
from orch.model import stack_tags
from orch.rpc import contract

Body = web.Body

NAME: typing.Final[checker.Schema] = {
    "type": "string",
    "pattern": "^[a-zA-Z][a-zA-Z0-9_.-]{0,254}$",
    "description": (
        "a letter, and then letters, digits, _ . or -, up to 255 characters"
    ),
    "x-error-code": api_errors.InvalidStackName.code,
}
"""What names of stacks look like."""

MAX_TIMEOUT_MINS: typing.Final = (2**31 - 1) // 60
"""So many seconds fit into a 32-bit number."""

INPUT_SCHEMAS: typing.Final[collections.abc.Mapping[str, checker.Schema]] = {
    "template": {"type": ["object", "string", "null"]},
    "environment": {"type": ["object", "string", "null"]},
    "parameters": {"type": ["object", "null"]},
    "files": {
        "type": ["object", "null"],
        "additionalProperties": {"type": "string"},
    },
    "environment_files": {
        "type": ["array", "null"],
        "items": {"type": "string"},
    },
}
"""The keys that describe the stack. What stands inside template, environment
and parameters is the language's business, not ours."""

INPUTS: typing.Final = tuple(INPUT_SCHEMAS)

# Keys that we do not know pass.
SCHEMA: typing.Final[checker.Schema] = {
    "type": "object",
    "properties": {
        **INPUT_SCHEMAS,
        "template_url": {"type": ["string", "null"]},
        "files_container": {
            "type": ["string", "null"],
            "pattern": "^[^/]*$",
            "maxLength": 256,
        },
        "tags": {
            "type": ["string", "array", "null"],
            "items": {"type": "string"},
        },
    },
}
"""What each body has to fit that describes a stack."""

CHANGES: typing.Final = frozenset(
    {
        *INPUTS,
        *("template_url", "files_container", "tags"),
        *("disable_rollback", "timeout_mins", "keep_going", "converge"),
        *("clear_parameters", "external_ids", "adopt_verify", "adopt_owned"),
    }
)
"""Keys of an update, not of a retry, that change the stack or may."""


def template_url_of(body: Body, *, needs_template: bool = True) -> str | None:
    """Return where the template is, ``None`` when it is in the body.

    :param needs_template: it has to be somewhere
    :raises orch.errors.Invalid: it is neither here nor there
    """
    if body.get("template") is not None:
        return None
    url: str | None = body.get("template_url")
    if url is None and needs_template:
        raise errors.Invalid(
            "No template specified: send template or template_url."
        )
    return url


def options_of(body: Body) -> contract.StackOptions:
    """Return how the operation runs.

    :raises orch.errors.Invalid: a value is none of those allowed
    """
    found = query.parse_values(body, _OPTIONS)
    return typing.cast(contract.StackOptions, found)


def change_options_of(body: Body) -> contract.StackOptions:
    """Return the same for an operation that may converge.

    :raises orch.errors.Invalid: a value is none of those allowed
    """
    found = query.parse_values(body, _CHANGE_OPTIONS)
    return typing.cast(contract.StackOptions, found)


def is_existing(body: Body) -> bool:
    """Whether an update keeps what its body does not name.

    :raises orch.errors.Invalid: ``existing`` is no boolean
    """
    existing = body.get("existing")
    return existing is not None and query.parse_boolean("existing", existing)


def update_options_of(body: Body, *, is_patch: bool) -> contract.StackOptions:
    """Return how an update runs.

    :param is_patch: what the body does not name stays
    :raises orch.errors.Invalid: a value is none of those allowed
    """
    options = change_options_of(body)
    if is_patch or is_existing(body):
        options["existing"] = True
    if body.get("clear_parameters"):
        options["clear_parameters"] = body["clear_parameters"]
    return options


def delete_options_of(req: web.Request) -> contract.StackOptions:
    """Return how a deletion runs; it is asked for without a body.

    :raises orch.errors.Invalid: a value is none of those allowed
    """
    return options_of({"keep_going": query.find_parameter(req, "keep_going")})


def _timeout_mins(value: object) -> int:
    minutes = query.parse_integer("timeout_mins", value)
    if minutes > MAX_TIMEOUT_MINS:
        raise errors.Invalid(
            f"timeout_mins must not be above {MAX_TIMEOUT_MINS}."
        )
    return minutes


def _tags(value: str | list[str]) -> list[str]:
    """Return the tags of a comma string or of a list."""
    tags = query.parse_words(value) if isinstance(value, str) else value
    stack_tags.check_tags(tags)
    return [tag.strip() for tag in tags]


_OPTIONS: typing.Final[dict[str, tuple[str, query.Parse]]] = {
    "timeout_mins": ("timeout_mins", _timeout_mins),
    **{
        name: (name, functools.partial(query.parse_boolean, name))
        for name in ("disable_rollback", "keep_going")
    },
    "tags": ("tags", _tags),
}
_CHANGE_OPTIONS: typing.Final[dict[str, tuple[str, query.Parse]]] = {
    **_OPTIONS,
    "converge": ("converge", query.parse_converge),
}
