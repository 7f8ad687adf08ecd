"""RPC endpoint of the ``type`` namespace."""

import collections.abc
import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.templates import resource_types
from orch.rpc import contract


class ResourceTypes:
    """RPC methods of the resource types that this worker serves."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="type", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def list(
        self,
        ctxt: request.RequestContext,
        *,
        filters: collections.abc.Mapping[str, str],
        with_description: bool = False,
    ) -> list[object]:
        """Return type names, or maps that hold a description too."""
        return resource_types.list_types(
            self._deps, ctxt, filters, with_description
        )

    def show(
        self,
        ctxt: request.RequestContext,
        *,
        type_name: str,
        with_description: bool = False,
    ) -> dict[str, object]:
        """Return the declared properties and attributes of a type."""
        return resource_types.show_type(
            self._deps, type_name, with_description
        )

    def template(
        self,
        ctxt: request.RequestContext,
        *,
        type_name: str,
        template_type: str,
    ) -> dict[str, object]:
        """Return a template with one resource of the type."""
        return resource_types.type_template(
            self._deps, type_name, template_type
        )
