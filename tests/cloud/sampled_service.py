"""Acts on types of a file of samples, on a real service."""

import collections.abc
import dataclasses
import time
import typing
import uuid

from openstack import connection

from orch import errors
from orch.context import request
from orch.plugin import call_context
from orch.resources.openstack import base as openstack_base
from orch.resources.openstack import type_data
from tests.cloud import sample_files
from tests.support import rig
from tests.support import waiting
from tests.unit.resources import contexts

Json = dict[str, typing.Any]
Context = call_context.Context

FIXTURE: typing.Final = "@"
"""The start of a text that stands for a fixture."""
_LIMIT_S: typing.Final = 60
_UNIQUE: typing.Final = "{unique}"


class _Clouds:
    """Logs in as the administrator, for each stack."""

    def __init__(self, admin: connection.Connection) -> None:
        self._admin = admin

    def connect(self, context: Context, **_: object) -> connection.Connection:
        return self._admin


class Service:
    """What acts on the types of a file, and the fixtures of them."""

    def __init__(self, name: str) -> None:
        self.samples = sample_files.samples(name)
        self.admin = rig.insist(*self.samples.services).admin
        self._fixtures: dict[
            str, tuple[openstack_base.OpenStackResource, Context]
        ] = {}
        self._unique = uuid.uuid4().hex[:8]

    def plugin(self, type_name: str) -> openstack_base.OpenStackResource:
        """Return a type that acts on the service."""
        plugin = type_data.load_type(type_name)(contexts.options())
        plugin.use_clouds(_Clouds(self.admin))
        return plugin

    def context(
        self,
        plugin: openstack_base.OpenStackResource,
        given: collections.abc.Mapping[str, object],
    ) -> Context:
        """Return the context of a resource that does not exist yet."""
        token = str(uuid.uuid4())
        found = contexts.make(
            type(plugin), token=token, started_at=time.time()
        )
        project_id = self.admin.current_project_id
        return dataclasses.replace(
            found,
            physical_name=f"orch-{token[:13]}",
            properties={**found.properties, **given},
            request=request.RequestContext(project_id=project_id),
        )

    def created(
        self,
        plugin: openstack_base.OpenStackResource,
        given: collections.abc.Mapping[str, object],
    ) -> Context:
        """Return the context of a resource that is there and ready."""
        context = self.context(plugin, given)
        context = with_result(context, persist(lambda: plugin.create(context)))
        persist_until_done(plugin.is_created, context)
        return context

    def removed(
        self, plugin: openstack_base.OpenStackResource, context: Context
    ) -> None:
        """Remove a resource; return once it is gone."""
        persist(lambda: plugin.delete(context))
        persist_until_done(plugin.is_deleted, context)

    def resolve(self, value: typing.Any) -> typing.Any:
        """Return a value of the file with the ids of its fixtures."""
        if isinstance(value, dict):
            return {name: self.resolve(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self.resolve(each) for each in value]
        if isinstance(value, str) and value.startswith(FIXTURE):
            name, _, attribute = value[1:].partition(".")
            return self._fixture(name, attribute)
        if isinstance(value, str):
            return value.replace(_UNIQUE, self._unique)
        return value

    def _fixture(self, name: str, attribute: str) -> object:
        if name == "project":
            return self.admin.current_project_id
        if name not in self._fixtures:
            wanted = self.samples.fixtures[name]
            plugin = self.plugin(wanted["type"])
            given = self.resolve(wanted.get("properties", {}))
            self._fixtures[name] = plugin, self.created(plugin, given)
        plugin, context = self._fixtures[name]
        if attribute:
            return plugin.read_attributes(context, (attribute,))[attribute]
        return context.physical_id

    def clean_up(self) -> None:
        """Remove the fixtures, the last one first."""
        for plugin, context in reversed(self._fixtures.values()):
            self.removed(plugin, context)


def with_result(context: Context, result: object) -> Context:
    """Return the context with what a call returned of its resource."""
    if isinstance(result, call_context.CreateResult):
        return dataclasses.replace(
            context, physical_id=result.physical_id, data=result.data
        )
    if result is None:
        return context
    return dataclasses.replace(context, physical_id=str(result))


Answer = typing.TypeVar("Answer")


def persist(do: collections.abc.Callable[[], Answer]) -> Answer:
    """Return an answer of the service; ask again as the engine does."""
    pace = waiting.Pace()
    while True:
        try:
            return do()
        except errors.Transient:
            if pace.waited_s() > _LIMIT_S:
                raise
        pace.pause()


def persist_until_done(
    ask: collections.abc.Callable[[Context], object], context: Context
) -> None:
    """Wait until a call says that its action is complete."""
    waiting.wait_for(
        lambda: persist(lambda: ask(context)) is call_context.DONE,
        context.physical_name,
        _LIMIT_S,
    )
