"""The config of a deployment, with input values, ready to apply."""

import collections.abc
import dataclasses
import typing
import uuid

from orch import errors
from orch.plugin import call_context
from orch.plugin import software
from orch.resources.heat.software import input_types
from orch.resources.heat.software import property_values

Values = collections.abc.Mapping[str, object]

NO_SIGNAL: typing.Final = "NO_SIGNAL"
CFN_SIGNAL: typing.Final = "CFN_SIGNAL"
HEAT_SIGNAL: typing.Final = "HEAT_SIGNAL"

_DESCRIPTIONS: typing.Final = {
    "deploy_server_id": "The server that this is deployed to",
    "deploy_action": "The action that this is deployed for",
    "deploy_stack_id": "The stack of the deployment, its name and its id",
    "deploy_resource_name": "The name of the deployment in its stack",
    "deploy_signal_transport": "How to report the outputs",
    "deploy_signal_id": "Where to send the outputs",
    "deploy_signal_verb": "The HTTP method that sends the outputs",
    "deploy_auth_url": "Where to log in to send the outputs",
    "deploy_username": "The name of the user who sends the outputs",
    "deploy_user_id": "The id of the user who sends the outputs",
    "deploy_password": "The password of the user who sends the outputs",
    "deploy_project_id": "The project that this user logs in to",
    "deploy_region_name": "The region whose API takes the outputs",
}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """How the agent reports the result.

    :ivar address: where it sends that; ``None`` when it tells nothing
    :ivar verb: the HTTP method that it sends it with
    :ivar login: inputs that tell how it logs in first, where it has to
    """

    transport: str
    address: str | None = None
    verb: str = "POST"
    login: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )


def config_id(context: call_context.Context, action: str) -> str:
    """Return the id of the config for the action that is under way.

    Each attempt of the action has the same. An agent applies each id once,
    so another action, or the next one of the kind, has another.
    """
    begun = f"{action} {context.started_at!r}"
    return str(uuid.uuid5(uuid.UUID(context.token), begun))


def build_inputs(
    source: software.Definition,
    context: call_context.Context,
    action: str,
    signal: Signal,
) -> list[dict[str, object]]:
    """Return all inputs with their values.

    Those that the config declares come first, then values that it does not
    know, then what every deployment tells.

    :raises orch.errors.Invalid: a value is not of the declared type
    """
    given = property_values.to_mapping(context.properties.get("input_values"))
    declared = [_with_value(one, given) for one in source.inputs]
    unknown: list[dict[str, object]] = [
        {"name": name, "type": "String", "value": value}
        for name, value in given.items()
    ]
    message = {
        "deploy_server_id": str(context.properties["server"]),
        "deploy_action": action,
        "deploy_stack_id": f"{context.stack_name}/{context.stack_id}",
        "deploy_resource_name": context.name,
        "deploy_signal_transport": signal.transport,
    }
    if signal.address is not None:
        message["deploy_signal_id"] = signal.address
        message["deploy_signal_verb"] = signal.verb
    message.update(signal.login)
    return [*declared, *unknown, *_describe(message)]


def input_values(
    bound: collections.abc.Iterable[Values],
) -> dict[str, object]:
    """Return the value of each input."""
    return {str(one["name"]): one.get("value") for one in bound}


def replacing_inputs(source: software.Definition) -> list[Values]:
    """Return the inputs whose change asks for another deployment."""
    return [one for one in source.inputs if one.get("replace_on_change")]


def input_value(declared: Values, given: object) -> object:
    """Return the value of an input among those given, or its default.

    One that is not of the declared type comes as it was given.
    """
    name = str(declared["name"])
    found = property_values.to_mapping(given).get(
        name, declared.get("default")
    )
    try:
        return input_types.convert_input(declared, found)
    except errors.Invalid:
        return found


def _with_value(
    declared: Values, given: dict[str, object]
) -> dict[str, object]:
    """Return an input with its value, which is taken out of those given."""
    value = given.pop(str(declared["name"]), declared.get("default"))
    stored = {
        name: said
        for name, said in declared.items()
        if name != "replace_on_change"
    }
    return {**stored, "value": input_types.convert_input(declared, value)}


def _describe(values: dict[str, str]) -> list[dict[str, object]]:
    return [
        {
            "name": name,
            "type": "String",
            "description": _DESCRIPTIONS[name],
            "value": value,
        }
        for name, value in values.items()
    ]
