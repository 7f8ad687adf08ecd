"""``OS::Neutron::ExtraRouteSet``: additional routes of a router."""

import collections.abc
import typing

from orch.clients import lookup
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import traits
from orch.resources.openstack import base
from orch.resources.openstack import type_table
from orch.resources.openstack import wire
from orch.resources.openstack.neutron import route_wait

_ROUTER: typing.Final = "router"
_ROUTES: typing.Final = "routes"
_FORM: typing.Final = wire.normalise_each(
    {"destination": wire.normalise_cidr, "nexthop": wire.normalise_address}
)
Route = dict[str, str]


class ExtraRouteSet(base.OpenStackResource):
    """Some of a router's routes; its other ones are not changed.

    Its id is that of the router. Neutron adds and removes routes so that
    sets of several stacks do not disturb each other.
    """

    type_name = "OS::Neutron::ExtraRouteSet"
    has_late_effects = False
    comes_after = (
        traits.ComesAfter("OS::Neutron::RouterInterface", _ROUTER, _ROUTER),
    )
    table = type_table.Table(
        service="network",
        version="2.0",
        path="/routers",
        key="router",
        plural="routers",
        token_key="",
        is_listed=False,
        fields=(
            type_table.Field(name=_ROUTER, wire="id", refers_to=lookup.ROUTER),
            type_table.Field(name=_ROUTES, is_read=False, normal=_FORM),
        ),
    )

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Find the router; :meth:`is_created` adds the routes."""
        found = str(context.properties[_ROUTER])
        return lookup.find_id(self.cloud(context), lookup.ROUTER, found)

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | None:
        """Return nothing: to add them again changes nothing."""
        return None

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Add the routes, as soon as the router reaches their next hops."""
        desired = _routes(context.properties)
        return route_wait.wait_for_route(
            lambda: self._ask(context, "add_extraroutes", desired),
            context,
            self.clock,
        )

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Remove the routes that are not wanted any more."""
        desired = _routes(context.properties)
        gone = [each for each in _routes(before) if each not in desired]
        self._ask(context, "remove_extraroutes", gone)

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Add the routes."""
        return self.is_created(context)

    def remove(self, context: call_context.Context) -> None:
        """Remove the routes."""
        self._ask(context, "remove_extraroutes", _routes(context.properties))

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None``: they go at once."""
        return call_context.DONE

    def _ask(
        self, context: call_context.Context, what: str, routes: list[Route]
    ) -> None:
        if not routes:
            return
        api_collection = self.api_collection(context)
        path = f"{api_collection.place(self.id_of(context))}/{what}"
        api_collection.ask("PUT", path, {"router": {_ROUTES: routes}})

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return those of its routes that the router has."""
        own = _routes(context.properties)
        there = _routes(body)
        return {
            **super().reality_of(context, body),
            _ROUTES: [each for each in own if each in there],
        }

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Look whether all of its routes are there.

        :raises orch.clients.rest.CloudNotFound: one is not
        """
        there = _routes(self.body(context))
        lost = [
            each for each in _routes(context.properties) if each not in there
        ]
        if lost:
            raise rest.CloudNotFound(f"the router has no route {lost[0]}")
        return call_context.DONE


def _routes(
    properties: collections.abc.Mapping[str, object],
) -> list[Route]:
    """Return the routes in form, their order lost."""
    found = _FORM(properties.get(_ROUTES))
    return typing.cast("list[Route]", found)
