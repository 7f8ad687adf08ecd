"""The config of a deployment outside of stacks, as a server reads it.

An agent reads all that it has to know from the inputs of one config: what the
author has declared, with values, and how to report the result.
"""

import collections.abc
import dataclasses
import typing

from orchclient import response_parser

TEMP_URL_SIGNAL: typing.Final = "TEMP_URL_SIGNAL"
NO_SIGNAL: typing.Final = "NO_SIGNAL"
TRANSPORTS: typing.Final = (TEMP_URL_SIGNAL, NO_SIGNAL)

_SERVER: typing.Final = "deploy_server_id"
_TRANSPORT: typing.Final = "deploy_signal_transport"
_DESCRIPTIONS: typing.Final = {
    _SERVER: "The server that this is deployed to",
    "deploy_action": "The action that this is deployed for",
    _TRANSPORT: "How to report the outputs",
    "deploy_signal_id": "Where to send the outputs",
    "deploy_signal_verb": "The HTTP method that sends the outputs",
}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Server, action and signal address that a config is applied with.

    :ivar address: takes the outputs by ``PUT``; ``None`` for no report
    """

    server_id: str
    action: str
    address: str | None = None


def deployment_inputs(
    declared: collections.abc.Iterable[response_parser.Json],
    given: collections.abc.Mapping[str, object],
    target: Target,
) -> list[response_parser.Json]:
    """Return inputs with their values, and how the server reports outputs.

    :param given: values by the names of inputs; others than are declared
        become inputs too
    """
    left = dict(given)
    inputs: list[response_parser.Json] = []
    for each in declared:
        value = left.pop(str(each.get("name")), each.get("default"))
        inputs.append({**each, "value": value})
    for key, value in left.items():
        inputs.append({"name": key, "type": "String", "value": value})
    for key, text in _reserved_inputs(target).items():
        inputs.append(
            {
                "name": key,
                "type": "String",
                "description": _DESCRIPTIONS[key],
                "value": text,
            }
        )
    return inputs


def is_derived(inputs: collections.abc.Iterable[response_parser.Json]) -> bool:
    """Whether a config with these inputs was made for one deployment."""
    return {_SERVER, _TRANSPORT} <= {each.get("name") for each in inputs}


def _reserved_inputs(target: Target) -> dict[str, str]:
    found = {_SERVER: target.server_id, "deploy_action": target.action}
    if target.address is None:
        return {**found, _TRANSPORT: NO_SIGNAL}
    return {
        **found,
        _TRANSPORT: TEMP_URL_SIGNAL,
        "deploy_signal_id": target.address,
        "deploy_signal_verb": "PUT",
    }
