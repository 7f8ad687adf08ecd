import collections.abc
import inspect
import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import adoption
from orch.rpc.clients import documents
from orch.rpc.clients import drift
from orch.rpc.clients import events
from orch.rpc.clients import lifecycle
from orch.rpc.clients import moves
from orch.rpc.clients import operations
from orch.rpc.clients import plans
from orch.rpc.clients import resource_types
from orch.rpc.clients import resources
from orch.rpc.clients import services
from orch.rpc.clients import snapshots
from orch.rpc.clients import software_configs
from orch.rpc.clients import software_deployments
from orch.rpc.clients import stacks
from orch.rpc.clients import templates
from tests import base

_CLIENTS = (
    adoption.Adoption,
    documents.Documents,
    drift.Drift,
    events.Events,
    lifecycle.Lifecycle,
    moves.Moves,
    operations.Operations,
    plans.Plans,
    resource_types.ResourceTypes,
    resources.Resources,
    services.Services,
    snapshots.Snapshots,
    software_configs.SoftwareConfigs,
    software_deployments.SoftwareDeployments,
    stacks.Stacks,
    templates.Templates,
)


_HINTS = {
    ("operation", "run"): "cast",
    ("operation", "run_some"): "cast",
    ("operation", "child_ended"): "broadcast",
}
"""How methods are sent that nobody waits for."""


class _Caller:
    """Keeps what is sent; each answer is the method's name."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str, str, dict[str, object]]] = []

    def call(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> object:
        self.sent.append(("call", namespace, method, kwargs))
        return f"{namespace}.{method}"

    def cast(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> None:
        self.sent.append(("cast", namespace, method, kwargs))

    def broadcast(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> None:
        self.sent.append(("broadcast", namespace, method, kwargs))


class ClientsTest(base.TestCase):
    def test_each_namespace_has_a_client(self) -> None:
        found = {client.namespace for client in _CLIENTS}

        self.assertEqual(set(contract.NAMESPACES), found)

    def test_each_method_sends_its_arguments_under_its_own_name(self) -> None:
        for kind in _CLIENTS:
            for name, method in inspect.getmembers(kind, inspect.isfunction):
                if not name.startswith("_"):
                    self.check(kind, name, method)

    def check(self, kind: type, name: str, method: object) -> None:
        caller = _Caller()
        signature = inspect.signature(method)
        values: dict[str, object] = {}
        sent: dict[str, object] = {}
        for each in list(signature.parameters.values())[2:]:
            if each.annotation is contract.AdoptionRequest:
                fields = contract.AdoptionRequest.__annotations__
                values[each.name] = {field: f"a {field}" for field in fields}
                sent.update(values[each.name])
            elif (
                typing.get_origin(each.annotation) is collections.abc.Sequence
            ):
                sent[each.name] = values[each.name] = [f"a {each.name}"]
            else:
                sent[each.name] = values[each.name] = f"a {each.name}"

        answer = getattr(kind(caller), name)(
            request.RequestContext(), **values
        )

        how = _HINTS.get((kind.namespace, name), "call")
        self.assertEqual([(how, kind.namespace, name, sent)], caller.sent)
        gives_nothing = signature.return_annotation is None
        expected = None if gives_nothing else f"{kind.namespace}.{name}"
        self.assertEqual(expected, answer)

    def test_each_method_stands_in_the_contract(self) -> None:
        for kind in _CLIENTS:
            for name, _ in inspect.getmembers(kind, inspect.isfunction):
                if not name.startswith("_"):
                    self.assertIn(f"{name}(", contract.__doc__)
