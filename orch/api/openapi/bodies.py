"""What bodies of requests look like.

Requests are checked by these very schemas (``orch.api.schemas.checker``).
They say what Heat takes too: numbers and booleans as texts, null for what is
not given, and keys that mean nothing.
"""

import typing

from orch.api.response_schemas import shapes
from orch.api.schemas import actions
from orch.api.schemas import drift
from orch.api.schemas import generation
from orch.api.schemas import holds
from orch.api.schemas import moves
from orch.api.schemas import plans
from orch.api.schemas import search
from orch.api.schemas import searchlight
from orch.api.schemas import snapshots
from orch.api.schemas import software_configs
from orch.api.schemas import stacks

Body = shapes.Schema

_WORDS: typing.Final = "[tT][rR][uU][eE]|[fF][aA][lL][sS][eE]"
_FLAG: typing.Final[Body] = {
    "type": ["boolean", "string"],
    "pattern": f"^({_WORDS})$",
    "description": "true or false",
}
_MAYBE_FLAG: typing.Final[Body] = {
    **_FLAG,
    "type": ["boolean", "string", "null"],
}
_CONVERGE: typing.Final[Body] = {
    **_MAYBE_FLAG,
    "pattern": f"^({_WORDS}|[sS][tT][rR][iI][cC][tT])$",
    "description": "true, false or strict",
}
_MINUTES: typing.Final[Body] = {
    "type": ["integer", "string", "null"],
    "minimum": 0,
    "maximum": stacks.MAX_TIMEOUT_MINS,
    "pattern": "^[0-9]{1,18}$",
    "description": f"a whole number up to {stacks.MAX_TIMEOUT_MINS}",
}
_NAMES: typing.Final[Body] = {
    "type": ["array", "null"],
    "items": shapes.TEXT,
    "description": "a list of names",
}
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
_RETRIES: typing.Final[Body] = {
    **_FLAG,
    "type": ["object", "boolean", "string", "null"],
    "properties": _RETRY,
    "additionalProperties": False,
    "description": "true, false, or a map of how to retry",
}
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
    "hand_over": {"type": ["string", "null"], "minLength": 1},
}
_STACK: typing.Final = typing.cast(
    dict[str, Body], stacks.SCHEMA["properties"]
)
_CHANGING: typing.Final[dict[str, Body]] = {
    "clear_parameters": _NAMES,
    "converge": _CONVERGE,
}
_UPDATE: typing.Final[dict[str, Body]] = {
    **_STACK,
    **_HOW,
    **_TAKING_OVER,
    **_CHANGING,
    "existing": _MAYBE_FLAG,
}
OWN: typing.Final = frozenset(
    {**_HOW, **_RETRY, **_TAKING_OVER, **_ADOPTION, **_CHANGING}
) - {"disable_rollback", "timeout_mins"}
"""Keys that have a meaning, which no request may have without it.

Those that describe a stack, and what Heat's clients send with any request,
are not among them.
"""


def _object(
    properties: dict[str, Body],
    required: tuple[str, ...] = (),
    needs: dict[str, list[str]] | None = None,
) -> Body:
    """Return the schema of an object.

    :param needs: by the name of a key, other keys of which it needs any
    """
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "dependentSchemas": {
            key: {"anyOf": [{"required": [each]} for each in others]}
            for key, others in (needs or {}).items()
        },
    }


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


_NEEDS: typing.Final = {name: ["retry"] for name in _LEAVING_OUT}
_RUN: typing.Final[dict[str, Body]] = {
    "keep_going": _MAYBE_FLAG,
    "timeout_mins": _MINUTES,
    "retry": _RETRIES,
    **_LEAVING_OUT,
}
_WAY: typing.Final[Body] = {
    key: value
    for key, value in _object(_RUN, needs=_NEEDS).items()
    if key != "type"
}
_LABEL: typing.Final[Body] = {
    "type": ["string", "number", "null"],
    "maxLength": snapshots.MAX_NAME_LENGTH,
}
CREATE: typing.Final = _object(
    {
        "stack_name": dict(stacks.NAME),
        **_STACK,
        **_HOW,
        **_TAKING_OVER,
        **_ADOPTION,
        "converge": _CONVERGE,
    },
    ("stack_name",),
    {
        **_NEEDS,
        "converge": ["retry"],
        "adopt_missing": ["adopt_stack_data", "hand_over"],
    },
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
        actions.RETRY: {
            **_RETRIES,
            "pattern": "^([tT][rR][uU][eE])?$",
            "not": {"const": False},
            "description": "true, null, or a map of how to retry",
        },
        drift.OBSERVE: dict(drift.OBSERVE_SCHEMA),
        drift.ACCEPT: dict(drift.ACCEPT_SCHEMA),
        drift.UNDO: dict(drift.UNDO_SCHEMA),
    },
    "additionalProperties": False,
    "description": "a map with one action",
}
DRIFT_POLICY: typing.Final[Body] = dict(drift.POLICY_SCHEMA)
SNAPSHOT: typing.Final = _object({"name": _LABEL, **_RUN}, needs=_NEEDS)
RESTORE: typing.Final = _WAY
PLAN: typing.Final = _object(
    {
        **_UPDATE,
        "action": shapes.one_of(*plans.RULES),
        "name": _LABEL,
        "snapshot_id": shapes.NULLABLE_TEXT,
    },
    ("action",),
)
MARK: typing.Final[Body] = {
    "type": "object",
    "required": ["mark_unhealthy"],
    "properties": {
        "mark_unhealthy": _FLAG,
        "resource_status_reason": shapes.NULLABLE_TEXT,
    },
    "additionalProperties": False,
}
OUTCOME: typing.Final[Body] = {
    "type": "object",
    "properties": {
        "physical_id": {
            "type": "string",
            "minLength": 1,
            "maxLength": 1024,
            "pattern": r"^[^\u0000\ud800-\udfff]*$",
        },
        "is_made": {"const": False},
    },
    "minProperties": 1,
    "maxProperties": 1,
    "additionalProperties": False,
    "description": (
        "physical_id, the id of what was made, or is_made with false"
    ),
}
MOVE: typing.Final[Body] = dict(moves.SCHEMA)
SEARCH: typing.Final = shapes.either(
    dict(search.SCHEMA), dict(searchlight.SCHEMA)
)
NEW_SAVED_SEARCH: typing.Final[Body] = dict(search.NEW)
SAVED_SEARCH: typing.Final[Body] = dict(search.SAVED)
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
    "description": (
        '{"prepare": null}, {"commit": TOKEN} with the token of its answer,'
        ' or {"hand_over": {"project": ID}}'
    ),
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
