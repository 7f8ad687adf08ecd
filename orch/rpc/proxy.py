"""Clients: each method of a namespace of the contract, sent over the bus."""

import collections.abc
import dataclasses
import types
import typing

from orch.context import request
from orch.rpc import caller as rpc_caller
from orch.rpc import contract
from orch.rpc.contract import methods

Kind = typing.TypeVar("Kind")


def proxy(kind: type[Kind], caller: rpc_caller.Caller) -> Kind:
    """Return a client whose methods are those of a Protocol.

    A call sends its arguments as keywords, defaults too. Beyond the errors
    that the Protocol names, each method raises those of the caller.

    :param kind: the Protocol of a namespace, such as ``contract.Stacks``
    """
    found = methods.read_namespace(kind)
    senders = {
        each.name: _sender(caller, found.name, each) for each in found.methods
    }
    return typing.cast(Kind, types.SimpleNamespace(**senders))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Clients:
    """A client of each namespace that the workers of the engine serve."""

    adoption: contract.Adoption
    documents: contract.Documents
    drift: contract.Drift
    events: contract.Events
    hand_overs: contract.HandOvers
    leftovers: contract.Leftovers
    lifecycle: contract.Lifecycle
    moves: contract.Moves
    operations: contract.Operations
    plans: contract.Plans
    resource_types: contract.ResourceTypes
    resources: contract.Resources
    services: contract.Services
    snapshots: contract.Snapshots
    software_configs: contract.SoftwareConfigs
    software_deployments: contract.SoftwareDeployments
    stacks: contract.Stacks
    templates: contract.Templates


def build_clients(caller: rpc_caller.Caller) -> dict[str, typing.Any]:
    """Return the fields of :class:`Clients`, which ask over a bus."""
    kinds = typing.get_type_hints(Clients)
    return {name: proxy(kind, caller) for name, kind in kinds.items()}


def _sender(
    caller: rpc_caller.Caller, namespace: str, method: methods.Method
) -> collections.abc.Callable[..., object]:
    def send(
        ctxt: request.RequestContext, /, *args: object, **kwargs: object
    ) -> object:
        sent = {
            name: value
            for name, value in method.bind(*args, **kwargs).items()
            if not method.is_unsent(name, value)
        }
        answer: object = getattr(caller, method.policy.sent)(
            ctxt, namespace, method.name, **sent
        )
        return answer

    return send
