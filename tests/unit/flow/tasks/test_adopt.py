"""What a plug-in may answer when it is to take a thing over."""

import collections.abc
import dataclasses

import testtools

from orch import clock
from orch import errors
from orch import ids
from orch.context import request
from orch.flow.state import contexts
from orch.flow.tasks import adopt
from orch.flow.tasks import base
from orch.model import adoption
from orch.model import marked
from orch.model import operation
from orch.model import resource as model_resource
from orch.model import states
from orch.planner import plan
from orch.plugin import call_context
from orch.plugin import resource
from orch.plugin import schema
from tests.support import nouns

NOW = clock.Timestamp(0.0)
STACK = nouns.make_stack(
    id=ids.StackId("stack"), name="s", action=states.Action.ADOPT
)
ROW = model_resource.Resource(
    id=ids.ResourceId("6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a11"),
    stack_id=STACK.id,
    name="a",
    type_name="A::B",
    physical_id="thing",
    properties={"label": "wanted", "size": 1},
    data={"key": "value"},
    metadata={"of": "document"},
    created_at=NOW,
    updated_at=NOW,
)
CHANGE = plan.Change(
    kind=plan.Kind.ADOPT,
    name="a",
    type_name="A::B",
    resource_id=ROW.id,
    requires=(),
    reason="exists already",
    takes_over=True,
)


class Plain(resource.Resource):
    """A type that says nothing of adoption."""

    type_name = "A::B"
    properties = (
        schema.Property(
            "label",
            schema.Type.STRING,
            "Changed in place.",
            on_update=schema.OnUpdate.MODIFY,
        ),
        schema.Property("size", schema.Type.INTEGER, "Needs a new thing."),
    )

    def is_effect_free(
        self, properties: collections.abc.Mapping[str, object]
    ) -> bool:
        return True


class AnsweringResource(Plain):
    """A type that answers what a test says, or raises it."""

    adopted: object = None
    found: object = None
    checked: object = None

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        return _raise_or_return(self.adopted or given)

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        return _raise_or_return(self.checked)

    def get_reality(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object] | None:
        return _raise_or_return(self.found)


def _raise_or_return(answer: object) -> object:
    if isinstance(answer, Exception):
        raise answer
    return answer


class DesiredState:
    """Wants nothing else than what the row has."""

    def resolve(self, change: plan.Change) -> None:
        """Leave the properties as the row has them."""

    def attributes_read(self, name: str) -> tuple[str, ...]:
        return ()


class NoClaims:
    """No other resource owns anything."""

    def check(self, row: object, physical_id: str) -> bool:
        return False


class Resources:
    """One row, and the plug-in that acts on it."""

    clock = clock.SystemClock()

    def __init__(
        self,
        plugin: resource.Resource,
        row: model_resource.Resource,
        verify: adoption.Verify,
    ) -> None:
        self._plugin = plugin
        self.rows = {row.id: row}
        self.operation = operation.Operation(
            id=ids.OperationId("o"),
            stack_id=STACK.id,
            project_id="p",
            action=states.Action.ADOPT,
            state=states.OperationState.RUNNING,
            options={adoption.VERIFY: verify.value},
            created_at=NOW,
        )
        self.documents: adoption.Documents = {}
        self.claims = NoClaims()
        self.desired_state = DesiredState()

    def acting(self, change: plan.Change) -> plan.Change:
        return change

    def plugin(self, row: model_resource.Resource) -> resource.Resource:
        return self._plugin

    def context(
        self, row: model_resource.Resource
    ) -> tuple[resource.Resource, call_context.Context]:
        requested_by = request.RequestContext()
        return self._plugin, contexts.build_context(STACK, row, requested_by)


def task(
    plugin: resource.Resource | None = None,
    verify: adoption.Verify = adoption.Verify.WARN,
    **fields: object,
) -> adopt.AdoptTask:
    row = dataclasses.replace(ROW, **fields)
    created = plugin or AnsweringResource(None)
    return adopt.AdoptTask(CHANGE, Resources(created, row, verify))


def make_plugin(**answers: object) -> AnsweringResource:
    plugin = AnsweringResource(None)
    plugin.__dict__.update(answers)
    return plugin


class AdoptTaskTests(testtools.TestCase):
    def test_by_default_all_is_taken_as_it_was_given(self) -> None:
        step = task().begin()

        self.assertEqual(
            call_context.CreateResult("thing", {"key": "value"}), step.created
        )
        self.assertEqual({"of": "document"}, step.metadata)
        self.assertEqual(ROW.properties, step.properties)
        self.assertEqual("", step.reason)

    def test_only_a_type_that_looks_at_nothing_runs_on_the_loop(self) -> None:
        quiet, loud = task(Plain(None)), task()

        quiet.pre_execute()
        loud.pre_execute()

        self.assertTrue(quiet.is_effect_free)
        self.assertFalse(loud.is_effect_free)

    def test_without_an_id_it_fails(self) -> None:
        error = self.assertRaises(
            errors.Permanent, task(physical_id=None).begin
        )

        self.assertEqual("Resource ID was not provided.", error.message)

    def test_what_is_no_answer_fails(self) -> None:
        class Odd:
            """No JSON."""

        for wrong in (
            "thing",
            call_context.AdoptedResource(
                physical_id=None, data={}, metadata={}
            ),
            call_context.AdoptedResource(
                physical_id="x", data={"a": Odd()}, metadata={}
            ),
            call_context.AdoptedResource(
                physical_id="x", data={}, metadata={"a": Odd()}
            ),
        ):
            begin = task(make_plugin(adopted=wrong)).begin
            self.assertRaises(base.BadAnswer, begin)
        self.assertRaises(
            base.BadAnswer, task(make_plugin(found={"size": Odd()})).begin
        )
        self.assertRaises(base.BadAnswer, task(make_plugin(checked=7)).begin)

    def test_what_differs_is_told_without_its_values(self) -> None:
        step = task(make_plugin(found={"label": "real", "size": 2})).begin()

        self.assertEqual(
            "Adopted, although it differs from its template in label, size",
            step.reason,
        )

    def test_only_what_can_be_changed_is_kept_as_it_is(self) -> None:
        step = task(make_plugin(found={"label": "real", "size": 2})).begin()

        self.assertEqual({"label": "real", "size": 1}, step.properties)

    def test_what_was_sensitive_as_resolved_stays_so_as_observed(self) -> None:
        properties = marked.Marked(ROW.properties, [("label",)])
        for verify in (adoption.Verify.WARN, adoption.Verify.TAKE):
            plugin = make_plugin(found={"label": "real", "size": 1})

            step = task(plugin, verify, properties=properties).begin()

            is_observed = verify is adoption.Verify.WARN
            self.assertEqual(
                {"label": "real" if is_observed else "wanted", "size": 1},
                step.properties,
            )
            for found in (step.properties, step.to_result()["properties"]):
                self.assertEqual((("label",),), marked.paths_of(found))

    def test_metadata_that_a_row_has_keep_their_marks(self) -> None:
        metadata = marked.Marked(ROW.metadata, [("of",)])

        step = task(metadata=metadata).begin()

        self.assertEqual(ROW.metadata, step.metadata)
        self.assertEqual((("of",),), marked.paths_of(step.metadata))

    def test_what_is_the_same_to_its_type_does_not_differ(self) -> None:
        plugin = make_plugin(found={"label": "WANTED", "size": 1})
        desired_state = task(make_plugin()).begin().properties
        assert desired_state is not None
        plugin.normalise = lambda name, value: (  # type: ignore[method-assign]
            desired_state["label"] if value == "WANTED" else value
        )

        step = task(plugin).begin()

        self.assertEqual("", step.reason)
        self.assertEqual(desired_state, step.properties)

    def test_what_a_check_finds_amiss_is_kept_as_it_is_too(self) -> None:
        plugin = make_plugin(
            checked=errors.Permanent("it was changed."),
            found={"label": "real"},
        )

        step = task(plugin).begin()

        self.assertEqual({"label": "real", "size": 1}, step.properties)
        self.assertEqual(
            "Adopted, although it was changed; it differs from its template"
            " in label",
            step.reason,
        )

    def test_nobody_is_told_ahead_that_it_would_be_made(self) -> None:
        plugin = make_plugin(expects_batches=True)

        self.assertIsNone(task(plugin, physical_id=None).expected())

    def test_refused_it_fails(self) -> None:
        refuse = adoption.Verify.REFUSE
        for answers in (
            {"found": {"label": "real"}},
            {"checked": errors.Permanent("it is gone")},
            {"found": errors.NotFound("it is gone")},
        ):
            begin = task(make_plugin(**answers), refuse).begin
            self.assertRaises(adopt.Differs, begin)

    def test_taken_as_it_is_nobody_looks(self) -> None:
        plugin = make_plugin(checked=errors.Permanent("asked all the same"))

        step = task(plugin, adoption.Verify.TAKE).begin()

        self.assertEqual("", step.reason)

    def test_a_service_that_is_away_is_no_difference(self) -> None:
        plugin = make_plugin(checked=errors.Transient("later"))

        self.assertRaises(errors.Transient, task(plugin).begin)

    def test_a_look_that_takes_time_is_waited_for(self) -> None:
        plugin = make_plugin(checked=call_context.Pending(after_s=1.0))
        asked = task(plugin)

        first = asked.begin()
        plugin.checked = None
        second = asked.poll()

        self.assertEqual(1.0, first.pending.after_s)
        self.assertEqual("thing", first.created.physical_id)
        self.assertIsNone(second.pending)
        self.assertEqual({"of": "document"}, second.metadata)
