"""A worker that answers as it does over the bus, on a real database.

Nothing of it runs operations: tests put the rows there that a run leaves.
"""

import collections.abc
import typing

import oslo_messaging as messaging

from orch import ids
from orch import project_slots
from orch.conf import load
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import endpoints
from orch.engine import plugin_reads
from orch.engine.secrets import tree_secrets
from orch.engine.stack_inputs import template_cache
from orch.flow.state import drift_records
from orch.model import event
from orch.model import marked
from orch.model import resource
from orch.model import stack
from orch.model import states
from orch.plugin import registry
from orch.policies import enforcer
from orch.rpc import contract
from orch.rpc import faults
from orch.rpc import proxy
from orch.rpc import serializer
from orch.rpc.inprocess import payload
from tests import base
from tests.functional import databases
from tests.support import tables
from tests.unit.engine import fakes


class Direct:
    """Calls endpoints on the caller's thread, but sends all as the bus does.

    ``test_endpoints_bus`` has the bus itself, which takes its time to stop.
    """

    def __init__(
        self,
        served: list[object],
        slots: project_slots.ProjectSlots | None = None,
    ) -> None:
        self._served = {
            each.target.namespace: faults.Guard(each, slots)  # type: ignore[attr-defined]
            for each in served
        }

    def call(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> object:
        translate = serializer.Serializer()
        sent = payload.unpack_message(
            payload.pack_message([translate.serialize_context(ctxt), kwargs])
        )
        context = translate.deserialize_context(sent[0])  # type: ignore[index]
        function = getattr(self._served[namespace], method)
        try:
            answer = function(context, **sent[1])  # type: ignore[index]
        except messaging.ExpectedException as expected:
            raise faults.from_wire(expected.exc_info[1]) from None
        return payload.unpack_message(payload.pack_message(answer))

    def cast(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> None:
        self.call(ctxt, namespace, method, **kwargs)


COMPLETE = {
    "action": states.Action.CREATE,
    "status": states.Status.COMPLETE,
    "physical_id": "physical",
    "attempt": 1,
}
"""A resource that was made."""


class TestCase(base.TestCase):
    """A test with a worker, and one client a noun that reaches it.

    :ivar ann: a member of project ``demo``
    :ivar eve: a member of another project
    :ivar root: an admin of a third one
    :ivar slots: for calls of other services; ``None`` for no limit
    """

    slots: project_slots.ProjectSlots | None = None

    def setUp(self) -> None:
        super().setUp()
        conf = load.load([], files=[])
        url = self.useFixture(databases.SQLite()).url
        tables.make(url)
        self.database = db_engine.Database(url)
        self.addCleanup(self.database.dispose)
        self.types = registry.ResourceTypes.of(fakes.KINDS, conf)
        self.conductor = fakes.Conductor()
        self.clock = fakes.Clock()
        self.conf = conf
        self.start()
        self.ann = request.RequestContext(
            project_id="demo", user_id="u1", user_name="ann"
        )
        self.eve = request.RequestContext(project_id="other", user_id="u2")
        self.root = request.RequestContext(
            project_id="admin", user_id="u3", roles=["admin"]
        )

    def start(self, **given: object) -> None:
        """Talk to a new worker from now on, some of its parts chosen here."""
        self.deps = self.depend(**given)
        served = endpoints.build_endpoints(self.deps)
        caller = Direct(served, self.slots)
        self.adoption = proxy.proxy(contract.Adoption, caller)
        self.drift = proxy.proxy(contract.Drift, caller)
        self.stacks = proxy.proxy(contract.Stacks, caller)
        self.plans = proxy.proxy(contract.Plans, caller)
        self.resources = proxy.proxy(contract.Resources, caller)
        self.events = proxy.proxy(contract.Events, caller)
        self.operations = proxy.proxy(contract.Operations, caller)
        self.templates = proxy.proxy(contract.Templates, caller)
        self.resource_types = proxy.proxy(contract.ResourceTypes, caller)
        self.services = proxy.proxy(contract.Services, caller)

    def depend(self, **given: object) -> dependencies.Dependencies:
        """Return the parts of a worker, some of them chosen by the test."""
        types = given.get("types", self.types)
        limits = given.get("limits", dependencies.limits_of(self.conf))
        templates = template_cache.TemplateCache(types, limits)
        values = {
            "database": self.database,
            "types": types,
            "limits": limits,
            "settings": dependencies.Settings(max_stacks_per_tenant=5),
            "clock": self.clock,
            "conductor": self.conductor,
            "rules": enforcer.Enforcer(self.conf, self.clock),
            "templates": templates,
            "records": drift_records.DriftRecords(
                tree_secrets.redacts_drift(templates.find), types, 10
            ),
            "reads": plugin_reads.PluginReads(limit_s=10),
        }
        return dependencies.Dependencies(**(values | given))

    @property
    def server(self) -> fakes.Server:
        """The plug-in that a test tells what to answer."""
        found = self.types.get(fakes.Server.type_name)
        assert isinstance(found, fakes.Server)
        return found

    def create(
        self,
        template: object,
        name: str = "app",
        *,
        ctxt: request.RequestContext | None = None,
        options: contract.StackOptions | None = None,
        **inputs: object,
    ) -> ids.StackId:
        """Return the id of a new stack of whose resources nothing exists."""
        accepted = self.stacks.create(
            ctxt or self.ann,
            name,
            {"template": template, **inputs},  # type: ignore[typeddict-item]
            options or {},
        )
        return ids.StackId(accepted["identity"]["stack_id"])

    def set_stack(self, stack_id: ids.StackId, **changed: object) -> None:
        with self.database.write() as connection:
            stacks.update(connection, stack_id, **changed)

    def get_stack(self, stack_id: ids.StackId) -> stack.Stack:
        with self.database.read() as connection:
            return stacks.get(connection, stack_id)

    def put_resource(
        self,
        stack_id: ids.StackId,
        name: str,
        *,
        sensitive: collections.abc.Iterable[str] = (),
        **given: typing.Any,
    ) -> resource.Resource:
        """Return the row of a resource, made unless the test says other.

        :param sensitive: names of properties
        """
        given["properties"] = marked.Marked(
            given.get("properties", {}), ((each,) for each in sensitive)
        )
        values = {
            "id": ids.ResourceId(ids.new()),
            "stack_id": stack_id,
            "name": name,
            "type_name": fakes.Server.type_name,
            "created_at": fakes.NOW,
            "updated_at": fakes.NOW,
        }
        row = resource.Resource(**(values | COMPLETE | given))
        with self.database.write() as connection:
            resources.save_many(connection, [row])
        return row

    def put_event(
        self, stack_id: ids.StackId, sequence: int, **given: object
    ) -> event.Event:
        """Return an event of a resource ``web``, unless told other."""
        values = {
            "stack_id": stack_id,
            "sequence": sequence,
            "operation_id": None,
            "resource_name": "web",
            "resource_type": fakes.Server.type_name,
            "resource_id": None,
            "physical_id": None,
            "action": states.Action.CREATE,
            "status": states.Status.COMPLETE,
            "reason": "state changed",
            "created_at": fakes.NOW + sequence,
        }
        fact = event.Event(**(values | given))
        with self.database.write() as connection:
            events.insert_many(connection, [fact])
        return fact
