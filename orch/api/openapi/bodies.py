"""What bodies of requests look like.

Made of the schemas and the words by which ``orch.api.schemas`` checks them.
Where that looks at a value by hand, because Heat does so in a way of its own,
what stands here is what it takes; ``tests/unit/api`` compares the two.
"""

import typing

from orch.api.response_schemas import shapes
from orch.api.schemas import actions
from orch.api.schemas import drift
from orch.api.schemas import generation
from orch.api.schemas import holds
from orch.api.schemas import mark_unhealthy
from orch.api.schemas import moves
from orch.api.schemas import outcome
from orch.api.schemas import plans
from orch.api.schemas import search
from orch.api.schemas import searchlight
from orch.api.schemas import software_configs
from orch.api.schemas import stacks

Body = shapes.Schema

_WORD: typing.Final[Body] = {
    "type": "string",
    "pattern": "^([tT][rR][uU][eE]|[fF][aA][lL][sS][eE])$",
}
_FLAG: typing.Final = shapes.either(shapes.FLAG, _WORD)
_MAYBE_FLAG: typing.Final = shapes.either(shapes.NULL, shapes.FLAG, _WORD)
_CONVERGE: typing.Final = shapes.either(
    shapes.NULL,
    shapes.FLAG,
    {
        "type": "string",
        "pattern": "^([tT][rR][uU][eE]|[fF][aA][lL][sS][eE]|"
        "[sS][tT][rR][iI][cC][tT])$",
    },
)
_MINUTES: typing.Final = shapes.either(
    shapes.NULL,
    {
        "type": "integer",
        "minimum": 0,
        "maximum": stacks.MAX_TIMEOUT_MINS,
    },
    {"type": "string", "pattern": "^[0-9]{1,7}$"},
)
_NAMES: typing.Final[Body] = {"type": "array", "items": shapes.TEXT}
_VERIFY: typing.Final[dict[str, Body]] = {
    "adopt_verify": {"enum": ["refuse", "warn", "take", None]}
}
_LEAVING_OUT: typing.Final[dict[str, Body]] = {
    "skip": _NAMES,
    "orphan": _NAMES,
    "replace": _NAMES,
}
_RETRY: typing.Final[dict[str, Body]] = {
    "keep_going": _MAYBE_FLAG,
    "timeout_mins": _MINUTES,
    "converge": _CONVERGE,
    **_LEAVING_OUT,
    **_VERIFY,
}
_RETRIES: typing.Final = shapes.either(
    shapes.NULL,
    _FLAG,
    {
        "type": "object",
        "properties": _RETRY,
        "additionalProperties": False,
    },
)
_HOW: typing.Final[dict[str, Body]] = {
    "disable_rollback": _MAYBE_FLAG,
    "timeout_mins": _MINUTES,
    "keep_going": _MAYBE_FLAG,
    "retry": _RETRIES,
    **_LEAVING_OUT,
}
_TAKING_OVER: typing.Final[dict[str, Body]] = {
    **_VERIFY,
    "adopt_owned": _MAYBE_FLAG,
    "external_ids": shapes.NULLABLE_MAP,
}
_ADOPTION: typing.Final[dict[str, Body]] = {
    "adopt_stack_data": {"type": ["object", "string", "null"]},
    "adopt_missing": {"enum": ["fail", "create", None]},
    "hand_over": shapes.NULLABLE_TEXT,
}
_STACK: typing.Final = typing.cast(
    dict[str, Body], stacks.SCHEMA["properties"]
)
_NAME: typing.Final[Body] = {"type": "string", "pattern": stacks.NAME_PATTERN}
_CHANGING: typing.Final[dict[str, Body]] = {
    "clear_parameters": {"type": ["array", "null"], "items": shapes.TEXT},
    "converge": _CONVERGE,
}
_UPDATE: typing.Final[dict[str, Body]] = {
    **_STACK,
    **_HOW,
    **_TAKING_OVER,
    **_CHANGING,
    "existing": _MAYBE_FLAG,
}
_NEEDS: typing.Final = {name: ["retry"] for name in _LEAVING_OUT}
"""Keys that mean nothing without another one."""

OWN: typing.Final = frozenset(
    {**_HOW, **_RETRY, **_TAKING_OVER, **_ADOPTION, **_CHANGING}
) - {"disable_rollback", "timeout_mins"}
"""Keys that have a meaning, which no request may have without it.

Those that describe a stack, and what Heat's clients send with any request,
are not among them.
"""
_WAY: typing.Final[Body] = {
    "anyOf": [
        {"type": ["null", "string"]},
        {
            "type": "object",
            "properties": {
                "keep_going": _MAYBE_FLAG,
                "timeout_mins": _MINUTES,
                "retry": _RETRIES,
                **_LEAVING_OUT,
            },
            "dependentRequired": _NEEDS,
        },
    ]
}


def _object(
    properties: dict[str, Body],
    required: tuple[str, ...] = (),
    needs: dict[str, list[str]] | None = None,
    needs_one: dict[str, list[str]] | None = None,
) -> Body:
    found: dict[str, object] = {"type": "object", "properties": properties}
    if required:
        found["required"] = list(required)
    if needs:
        found["dependentRequired"] = needs
    if needs_one:
        found["dependentSchemas"] = {
            key: {"anyOf": [{"required": [each]} for each in others]}
            for key, others in needs_one.items()
        }
    return found


def _declarations(keys: frozenset[str], flag: str) -> Body:
    values: dict[str, Body] = dict.fromkeys(sorted(keys), shapes.ANY)
    return {
        "type": ["array", "null"],
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {
                **values,
                "name": {"type": "string", "minLength": 1},
                "type": shapes.one_of(*software_configs.TYPES, None, ""),
                flag: _MAYBE_FLAG,
            },
            "additionalProperties": False,
        },
    }


CREATE: typing.Final = _object(
    {
        "stack_name": _NAME,
        **_STACK,
        **_HOW,
        **_TAKING_OVER,
        **_ADOPTION,
        "converge": _CONVERGE,
    },
    ("stack_name",),
    {**_NEEDS, "converge": ["retry"]},
    {"adopt_missing": ["adopt_stack_data", "hand_over"]},
)
UPDATE: typing.Final = _object(_UPDATE, needs=_NEEDS)
VALIDATE: typing.Final[Body] = dict(stacks.SCHEMA)
ACTION: typing.Final[Body] = {
    "type": "object",
    "minProperties": 1,
    "maxProperties": 1,
    "properties": {
        **dict.fromkeys(actions.ACTIONS, _WAY),
        **dict.fromkeys(actions.CANCELS, shapes.ANY),
        **{action: dict(holds.SCHEMA) for action in holds.ANSWERS},
        actions.RETRY: _RETRIES,
        drift.OBSERVE: dict(drift.OBSERVE_SCHEMA),
        drift.ACCEPT: dict(drift.ACCEPT_SCHEMA),
        drift.UNDO: dict(drift.UNDO_SCHEMA),
    },
    "additionalProperties": False,
}
DRIFT_POLICY: typing.Final[Body] = dict(drift.POLICY_SCHEMA)
SNAPSHOT: typing.Final = _object(
    {
        "name": {"type": ["string", "number", "null"], "maxLength": 255},
        "keep_going": _MAYBE_FLAG,
        "timeout_mins": _MINUTES,
        "retry": _RETRIES,
        **_LEAVING_OUT,
    },
    needs=_NEEDS,
)
PLAN: typing.Final = _object(
    {
        **_UPDATE,
        "action": shapes.one_of(*plans.RULES),
        "name": {"type": ["string", "number", "null"], "maxLength": 255},
        "snapshot_id": shapes.TEXT,
    },
    ("action",),
)
MARK: typing.Final[Body] = {
    "type": "object",
    "required": [mark_unhealthy.MARK],
    "properties": {
        mark_unhealthy.MARK: _FLAG,
        mark_unhealthy.REASON: shapes.NULLABLE_TEXT,
    },
    "additionalProperties": False,
}
OUTCOME: typing.Final[Body] = dict(outcome.SCHEMA)
MOVE: typing.Final[Body] = dict(moves.SCHEMA)
SEARCH: typing.Final = shapes.either(
    dict(search.SCHEMA), dict(searchlight.SCHEMA)
)
GENERATION: typing.Final[Body] = dict(generation.SCHEMA)
ABANDON_STEP: typing.Final[Body] = {
    "type": "object",
    "minProperties": 1,
    "maxProperties": 1,
    "properties": {
        "prepare": shapes.ANY,
        "commit": {"type": "string", "minLength": 1},
        "hand_over": {
            "type": "object",
            "required": ["project"],
            "properties": {"project": {"type": "string", "minLength": 1}},
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}
ANNOUNCEMENT: typing.Final = _object(
    {"announcement": shapes.MAP}, ("announcement",)
)
SOFTWARE_CONFIG: typing.Final = _object(
    {
        "name": shapes.NULLABLE_TEXT,
        "group": shapes.NULLABLE_TEXT,
        "config": shapes.ANY,
        "inputs": _declarations(software_configs.INPUT, "replace_on_change"),
        "outputs": _declarations(software_configs.OUTPUT, "error_output"),
        "options": shapes.NULLABLE_MAP,
    }
)
_DEPLOYMENT: typing.Final[dict[str, Body]] = {
    "input_values": shapes.NULLABLE_MAP,
    "action": {"type": ["string", "null"], "maxLength": 255},
    "status": {"type": ["string", "null"], "maxLength": 255},
    "status_reason": shapes.NULLABLE_TEXT,
}
_ID: typing.Final[Body] = {"type": "string", "minLength": 1, "maxLength": 255}
SOFTWARE_DEPLOYMENT: typing.Final = _object(
    {
        **_DEPLOYMENT,
        "config_id": _ID,
        "server_id": _ID,
        "stack_user_project_id": {
            "type": ["string", "null"],
            "maxLength": 255,
        },
    },
    ("config_id", "server_id"),
)
DEPLOYMENT_CHANGE: typing.Final = _object(
    {
        **_DEPLOYMENT,
        "output_values": shapes.NULLABLE_MAP,
        "config_id": {"type": ["string", "null"], "maxLength": 255},
    }
)
