"""An operation as JSON for other programs, and their verdicts.

Sensitive values are redacted already.
"""

import collections.abc
import json
import typing

from orch import errors
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_settings
from orch.plugin import read_only_values

VERSION: typing.Final = 1
"""Of the form of what goes out; one more when something changes in it."""

PARTS: typing.Final = ("before", "after", "plan")
"""What may be left out."""

ANSWER: typing.Final[dict[str, object]] = {
    **lifecycle_settings.mapping(
        {
            "ruling": {"enum": [each.value for each in lifecycle.Ruling]},
            "text": {"type": "string", "maxLength": 4096},
            "decisions": {"type": "object"},
            "deadline_s": {
                "oneOf": [lifecycle_settings.SECONDS, {"type": "null"}],
            },
            "needs_other": {"type": "boolean"},
            "is_separate": {"type": "boolean"},
        },
        ["ruling"],
    ),
    "if": {
        "properties": {"ruling": {"enum": ["warn", "deny", "hold"]}},
    },
    "then": {
        "required": ["text"],
        "properties": {"text": {"minLength": 1}},
    },
}


class BadAnswer(errors.Permanent):
    """Another program returned a value that is no verdict."""

    code = "orch.lifecycle.no_verdict"


def call_id(
    operation: lifecycle_operation.LifecycleOperation,
    plugin: str,
    ended: lifecycle.OperationResult | None = None,
) -> str:
    """Return what a call is known by; it is the same when it is repeated.

    :param ended: of a post-op
    """
    request = operation.request
    phase = "pre" if ended is None else "post"
    if ended is not None and ended.corrects is not None:
        plugin += ".corrected"
    operation_key = request.operation_id or f"preview-{request.request_id}"
    return f"{operation_key}.{request.attempt}.{phase}.{plugin}"


def written(
    operation: lifecycle_operation.LifecycleOperation,
    plugin: str,
    parts: collections.abc.Collection[str],
    ended: lifecycle.OperationResult | None = None,
) -> bytes:
    """Return a call as JSON.

    :param parts: those of :data:`PARTS` that go out
    :param ended: of a post-op
    """
    request = operation.request
    phase = "pre" if ended is None else "post"
    found: dict[str, object] = {
        "version": VERSION,
        "id": call_id(operation, plugin, ended),
        "plugin": plugin,
        "phase": phase,
        "operation": {
            "id": request.operation_id or None,
            "action": request.action,
            "verb": request.verb,
            "attempt": request.attempt,
            "paths": list(request.paths),
            "is_preview": request.is_preview,
            "cause": request.cause,
            "project_id": request.project_id,
            "user_id": request.user_id,
            "user_name": request.user_name,
            "roles": list(request.roles),
            "policy_user_id": request.policy_user_id,
            "policy_user_name": request.policy_user_name,
            "request_id": request.request_id,
        },
        "decisions": read_only_values.thaw(
            operation.decisions.get(plugin, {})
        ),
    }
    if ended is not None:
        found["ended"] = {
            "outcome": ended.outcome.value,
            "is_failure": ended.is_failure,
            "reason": ended.reason,
            "corrects": ended.corrects and ended.corrects.value,
            "failures": read_only_values.thaw(ended.failures),
        }
    if "before" in parts:
        found["before"] = _stack(operation.before)
    if "after" in parts:
        found["after"] = _stack(operation.after)
    if "plan" in parts:
        found["plan"] = read_only_values.thaw(operation.plan)
    return json.dumps(found, ensure_ascii=False, default=str).encode()


def verdict(answer: bytes) -> lifecycle.Verdict:
    """Return what an answer says; an empty one allows.

    :raises BadAnswer: it is no verdict
    """
    if not answer.strip():
        return lifecycle.allow()
    try:
        found = lifecycle_settings.check(
            json.loads(answer), ANSWER, "the whole answer"
        )
    except (ValueError, RecursionError) as error:
        raise BadAnswer(f"the answer is no JSON: {error}") from error
    except errors.Invalid as error:
        raise BadAnswer(f"the answer is no verdict: {error}") from error
    return lifecycle.Verdict(
        lifecycle.Ruling(found["ruling"]),
        found.get("text", ""),
        found.get("decisions", {}),
        found.get("deadline_s"),
        found.get("needs_other", False),
        found.get("is_separate", False),
    )


def _stack(
    view: lifecycle_operation.StackView | None,
) -> dict[str, object] | None:
    if view is None:
        return None
    return {
        "id": view.id,
        "root_id": view.root_id,
        "name": view.name,
        "project_id": view.project_id,
        "path": view.path,
        "description": view.description,
        "action": view.action,
        "status": view.status,
        "status_reason": view.status_reason,
        "tags": list(view.tags),
        "parameters": read_only_values.thaw(view.parameters),
        "template": read_only_values.thaw(view.template),
        "outputs": read_only_values.thaw(view.outputs),
        "resources": {
            name: _resource(each) for name, each in view.resources.items()
        },
    }


def _resource(view: lifecycle_operation.ResourceView) -> dict[str, object]:
    return {
        "name": view.name,
        "path": view.path,
        "type": view.type_name,
        "properties": read_only_values.thaw(view.properties),
        "metadata": read_only_values.thaw(view.metadata),
        "requires": list(view.requires),
        "physical_id": view.physical_id,
        "action": view.action,
        "status": view.status,
        "child_stack": _stack(view.child_stack),
    }
