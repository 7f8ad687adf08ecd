"""Runs the flow of an operation without workers, templates or a bus."""

import collections.abc
import pathlib
import threading
import time
import typing

import fixtures
import taskflow.engines
from oslo_config import cfg
from taskflow.persistence import models

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db import queries
from orch.db.repositories import events
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine.execution import outcome
from orch.flow import call_pool
from orch.flow.engine import breakpoints
from orch.flow.engine import compiler
from orch.flow.engine import engine as flow_engine
from orch.flow.engine import persistence
from orch.flow.runner import job
from orch.flow.runner import loop
from orch.flow.runner import messages
from orch.flow.runner import retries
from orch.flow.runner import retry_policy
from orch.flow.runner import runner
from orch.flow.runner import waiting
from orch.flow.state import fence
from orch.flow.state import store as state_store
from orch.flow.state import submit
from orch.flow.state import writer
from orch.model import event
from orch.model import operation
from orch.model import resource as model_resource
from orch.model import stack
from orch.model import states
from orch.planner import builder
from orch.planner import draft
from orch.plugin import call_context
from orch.plugin import registry
from orch.plugin import resource
from orch.plugin import schema
from orch.template.resources import declaration
from tests.support import nouns
from tests.support import tables

WORKER = ids.WorkerId("worker-1")
END_S = 20
UNDOING = (states.Action.DELETE, states.Action.ROLLBACK)


class ScriptedResource(resource.Resource):
    """Keeps its world in memory; each test has a class of its own.

    ``script`` maps the name of a resource to what its next calls give: an
    error to raise, a value to return, or a function of the context.
    """

    type_name = "Test::Thing"
    has_late_effects = False
    properties = (schema.Property("value", schema.Type.ANY),)
    attributes = (schema.Attribute("value"),)
    is_free = False
    calls: list[tuple[str, str]]
    script: dict[tuple[str, str], list[object]]
    broken: list[BaseException]

    def is_effect_free(self, properties) -> bool:
        if self.broken:
            raise self.broken.pop()
        return self.is_free

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        return self._act("create", context, f"thing-{context.name}")

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        return self._act("is_created", context, None)

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | None:
        return self._act("find", context, None)

    def find_all(
        self, context: call_context.Context
    ) -> list[call_context.PhysicalId]:
        return self._act("find_all", context, [])

    def delete(self, context: call_context.Context) -> None:
        return self._act("delete", context, None)

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        return self._act("is_deleted", context, None)

    def read_attributes(self, context, names):
        return self._act(
            "read_attributes", context, {"value": context.physical_id}
        )

    def _act(self, act: str, context: call_context.Context, usual):
        self.calls.append((act, context.name))
        answers = self.script.get((act, context.name))
        if not answers:
            return usual
        answer = answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer(context) if callable(answer) else answer


def declare(name: str, **more: typing.Any) -> declaration.Declaration:
    """Return the declaration of a scripted resource."""
    type_name = ScriptedResource.type_name
    values = {"type_name": type_name, "declared_type": type_name, **more}
    return declaration.Declaration(name=name, **values)


class Template:
    """Stands for ``orch.template``: names, and who requires whom."""

    def __init__(self, **requires: str) -> None:
        self.resources = {
            name: declare(name, requires=tuple(needed.split()))
            for name, needed in requires.items()
        }
        self.broken: dict[str, Exception] = {}
        self.breakpoints: dict[str, tuple[str, ...]] = {}

    def resolve_properties(
        self, name: str, world, *, marks_unknown: bool = False
    ) -> dict[str, object]:
        if name in self.broken:
            raise self.broken[name]
        needed = self.resources[name].requires
        return {"value": [world.attribute(each, "value") for each in needed]}

    def resolve_metadata(self, name: str, world) -> dict[str, object]:
        return {}

    def attributes_read(self, name: str) -> frozenset[str]:
        return frozenset({"value"})

    def hooks(self, name: str) -> tuple[str, ...]:
        return self.breakpoints.get(name, ())


class Flows(fixtures.Fixture):
    """A database with one stack, and ways to run operations on it.

    :ivar kind: the class of the things; ``calls`` and ``script`` are its own
    :ivar retries: which calls that failed are made again
    :ivar hooks: the breakpoints of each resource
    :ivar check_type: checks the types of new resources
    """

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        url = f"sqlite:///{directory}/orch.sqlite"
        tables.make(url)
        self.database = db_engine.Database(url)
        self.addCleanup(self.database.dispose)
        self.clock = clock.SystemClock()
        self.kind = type(
            "Thing",
            (ScriptedResource,),
            {"calls": [], "script": {}, "broken": []},
        )
        self.types = registry.ResourceTypes.of([self.kind], cfg.ConfigOpts())
        self.stack = self._new_stack()
        self.retries = retry_policy.RetryPolicy(
            tries=3,
            first_pause_s=0.01,
            max_pause_s=0.02,
            first_block_s=0.05,
            max_block_s=0.1,
        )
        self.hooks: dict[str, tuple[str, ...]] = {}
        self.check_type = declaration.check_with_rows
        self.pool = call_pool.CallPool(4, 60.0, self.clock)
        self.addCleanup(self.pool.stop)
        self.loop = loop.Loop("test-loop", self.clock, self.pool.grow)
        self.loop.start()
        self.addCleanup(self.loop.stop, 5.0)

    def _new_stack(self) -> stack.Stack:
        made = nouns.make_stack(
            id=ids.StackId(ids.new()), created_at=self.clock.now()
        )
        with self.database.write() as connection:
            stacks.insert(connection, made)
        return made

    def hooks_of(self, name: str) -> tuple[str, ...]:
        """Return the breakpoints of a resource."""
        return self.hooks.get(name, ())

    def accept(
        self, action: states.Action = states.Action.CREATE, **options: object
    ) -> operation.Operation:
        """Store an operation that waits."""
        operation = self.make_operation(action, **options)
        with self.database.write() as connection:
            operations.insert(connection, operation)
        return operation

    def make_operation(
        self, action: states.Action = states.Action.CREATE, **options: object
    ) -> operation.Operation:
        """Return an operation that is not stored."""
        return operation.Operation(
            id=ids.OperationId(ids.new()),
            stack_id=self.stack.id,
            project_id="p",
            action=action,
            state=states.OperationState.WAITING,
            options={submit.ANNOUNCED: True, **options},
            template_hash=None if action in UNDOING else "t",
            environment_hash=None if action in UNDOING else "e",
            created_at=self.clock.now(),
        )

    def claim(
        self, operation: operation.Operation, ttl_s: float = 60.0
    ) -> operation.Operation:
        """Take the operation as a worker would."""
        (claimed,) = self.database.run(
            lambda connection: leases.claim(
                connection, WORKER, ttl_s, 1, operation.id
            )
        )
        return claimed

    def load(
        self,
        claimed: operation.Operation,
        parsed_template: Template | None,
        redact: state_store.Redact = state_store.redact_nothing,
    ) -> tuple[state_store.Store, "builder.plan.Plan"]:
        """Return the store and the plan of a claimed operation."""
        rows = self.rows()
        newest = [each.sequence for each in self.events()]
        held = fence.Fence(
            claimed.id,
            claimed.fence,
            self.clock.monotonic() + 60,
            self.clock,
        )
        store = state_store.Store(
            writer_=writer.Writer(self.database, held, 60, self.stack),
            held=held,
            clock_=self.clock,
            stack=self.stack,
            operation=claimed,
            rows=rows,
            newest_event=max(newest, default=0),
            parsed_template=parsed_template,
            types=self.types,
            check_type=self.check_type,
            redact=redact,
        )
        wanted = builder.build_plan(
            draft.Situation(
                action=claimed.action,
                desired=parsed_template.resources if parsed_template else {},
                existing=rows,
                operation_id=claimed.id,
            )
        )
        store.adopt(wanted)
        return store, wanted

    def run(
        self,
        parsed_template: Template | None,
        action: states.Action = states.Action.CREATE,
        **options: object,
    ) -> operation.Operation:
        """Run an operation to its end, as a worker does."""
        return self.finish(
            self.start(
                self.claim(self.accept(action, **options)), parsed_template
            )
        )

    def start(
        self, claimed: operation.Operation, parsed_template: Template | None
    ) -> "Run":
        """Begin to run a claimed operation."""
        return Run(self, claimed, parsed_template)

    def finish(self, run: "Run") -> operation.Operation:
        """Wait until the run has ended; return what the row says then."""
        assert run.ended.wait(END_S), "the operation does not end"
        return self.read_operation(run.claimed.id)

    def run_on(
        self, engine: str, parsed_template: Template, **options: object
    ) -> "builder.plan.Plan":
        """Run a creation on an engine that TaskFlow loads by name."""
        claimed = self.claim(self.accept())
        store, wanted = self.load(claimed, parsed_template)
        backend = persistence.Backend({"store": store, "plan": wanted})
        taskflow.engines.load(
            compiler.compile_plan("test", wanted, store),
            flow_detail=models.FlowDetail("test", claimed.id),
            backend=backend,
            engine=engine,
            **options,
        ).run()
        return wanted

    def rows(self) -> list[model_resource.Resource]:
        with self.database.read() as connection:
            return resources.list_(connection, self.stack.id)

    def row(self, name: str) -> model_resource.Resource:
        (found,) = [row for row in self.rows() if row.name == name]
        return found

    def events(self) -> list[event.ListedEvent]:
        with self.database.read() as connection:
            return events.list_(
                connection, [self.stack.id], queries.EventQuery()
            )

    def read_operation(
        self, operation_id: ids.OperationId
    ) -> operation.Operation:
        with self.database.read() as connection:
            return operations.get(connection, operation_id)

    def read_operations(self) -> list[operation.Operation]:
        with self.database.read() as connection:
            return operations.list_(connection, self.stack.id)

    def event_log(self) -> list[str]:
        """Return the resources' events, ``name ACTION_STATUS`` each."""
        return [
            f"{each.resource_name} {each.action}_{each.status}"
            for each in self.events()
            if each.physical_id != self.stack.id
        ]


class Run:
    """One run of an operation; the host that its runner asks for."""

    def __init__(
        self,
        flows: Flows,
        claimed: operation.Operation,
        parsed_template: Template | None,
        deadline: float | None = None,
    ) -> None:
        self.claimed = claimed
        self.ended = threading.Event()
        self.aborted: Exception | None = None
        self.has_given_back = False
        self.deadline = deadline
        self.store, self.desired = flows.load(claimed, parsed_template)
        self._flows = flows
        self.runner = runner.Runner(
            self.store.fence,
            self,
            self.prepare,
            flows.loop,
            flows.pool,
            flows.clock,
        )
        self.runner.post(messages.Begin())

    def prepare(self, flush, survey) -> job.Job:
        gate = breakpoints.BreakpointGate(self.store, self._flows.hooks_of)
        run = flow_engine.assemble_engine(
            self.desired,
            self.store,
            clock_=self._flows.clock,
            group_s=0.025,
            flush=flush,
            gate=gate,
        )
        delayed = retries.Retries(
            self._flows.retries, self.store, self._flows.clock
        )
        return job.Job(
            run=run,
            store=self.store,
            waiting=waiting.Waiting(
                run,
                self.store,
                gate,
                delayed,
                self._flows.clock,
            ),
            conclude=lambda ended, stop_reason: outcome.conclude_operation(
                self.store, ended, stop_reason, self._flows.clock.now()
            ),
            deadline=self.deadline,
        )

    def give_back(self, held: fence.Fence) -> None:
        self.has_given_back = True

    def abort(
        self, held: fence.Fence, error: Exception, *, calls: bool
    ) -> None:
        self.aborted = error

    def forget(self, held: fence.Fence) -> None:
        self.ended.set()


def wait_for(
    condition: collections.abc.Callable[[], object], what: str
) -> None:
    """Return once the condition holds.

    :raises AssertionError: it does not in time
    """
    limit = time.monotonic() + END_S
    while not condition():
        if time.monotonic() > limit:
            raise AssertionError(f"timed out: {what}")
        time.sleep(0.005)
