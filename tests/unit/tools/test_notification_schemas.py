import collections.abc
import dataclasses
import json
import typing

import jsonschema

from orch import clock
from orch import ids
from orch.events import deployments
from orch.events import drifts
from orch.events import notification as publishing
from orch.events import payloads
from orch.events import recorder
from orch.events import scaling
from orch.model import adoption
from orch.model import breakpoints
from orch.model import lifecycle
from orch.model import notification
from orch.model import observation
from orch.model import operation
from orch.model import resource
from orch.model import signal
from orch.model import software
from orch.model import states
from orch.plugin import signals
from tests import base
from tests.support import nouns
from tests.support import payload_schemas
from tools import notification_schemas

_NOW = clock.Timestamp(1_700_000_000.5)
_STACK = nouns.make_stack(
    username="ann", user_id="u", tags=("x",), environment_hash="e"
)
_ROW = resource.Resource(
    id=ids.ResourceId("r"),
    stack_id=_STACK.id,
    name="web",
    type_name="T::Thing",
    created_at=_NOW,
    updated_at=_NOW,
)
_HOLD = lifecycle.Hold(
    plugin="p", text="why", requested_at=_NOW, deadline_at=_NOW
)
_STATUSES = {"CREATE_COMPLETE": 2}

Samples = collections.abc.Iterator[notification.Notification]


def make_operation(
    action: states.Action = states.Action.CREATE, **given: typing.Any
) -> operation.Operation:
    return operation.Operation(
        id=ids.OperationId("o"),
        stack_id=_STACK.id,
        project_id="p",
        action=action,
        state=states.OperationState.RUNNING,
        created_at=_NOW,
        context={"user_name": "bob", "user_id": "b", "request_id": "req-1"},
        **given,
    )


def samples() -> dict[str, dict[str, object]]:
    """Return a payload of each event type, as consumers get it."""
    told = [
        *of_stacks(),
        *of_resources(),
        *of_the_rest(),
    ]
    return {each.event_type: completed(each) for each in told}


def completed(value: notification.Notification) -> dict[str, object]:
    """Return a payload with what is added when it leaves."""
    sent = publishing.make_envelope(value, "orchestration.here")["payload"]
    found = {**typing.cast("dict[str, object]", sent), "region": None}
    is_stack = found.pop(payloads.INPUTS, None) is not None
    if is_stack:
        found |= {"parameters": {"a": "1"}, "template": None, "outputs": None}
    if is_stack or payloads.MEMBER in found:
        found |= {
            "path": "web/db",
            "links": [{"href": "https://cloud.test/v1", "rel": "self"}],
        }
    return found


def of_stacks() -> Samples:
    heat_actions = set(states.Action) - {
        states.Action.INIT,
        states.Action.SIGNAL,
        states.Action.OBSERVE,
    }
    for action in sorted(heat_actions):
        for status in states.Status:
            subject = dataclasses.replace(_STACK, action=action, status=status)
            notes = recorder.Recorder(0, make_operation(action, attempt=2))
            notes.record_stack(subject, _NOW, statuses=_STATUSES)
            yield from notes.take().notifications
    for status in states.Status:
        options = {adoption.ABANDONS: True}
        subject = dataclasses.replace(
            _STACK, action=states.Action.DELETE, status=status
        )
        gone = recorder.Recorder(
            0, make_operation(states.Action.DELETE, options=options)
        )
        gone.record_stack(subject, _NOW, statuses={})
        yield from gone.take().notifications


def of_resources() -> Samples:
    notes = recorder.Recorder(
        0, make_operation(), recorder.Audience(_STACK, lambda row: {"size": 1})
    )
    for action in (
        *("CREATE", "UPDATE", "DELETE", "SUSPEND", "RESUME", "ADOPT"),
        *("CHECK", "SNAPSHOT"),
    ):
        for status in states.Status:
            row = dataclasses.replace(
                _ROW,
                action=states.Action(action),
                status=status,
                status_reason="so",
            )
            notes.record_resource(row, _NOW)
    for status in (states.Status.COMPLETE, states.Status.FAILED):
        notes.record_signal(
            signal.UnreportedSignal(
                id="s",
                stack_id=_STACK.id,
                resource_id=_ROW.id,
                resource_name=_ROW.name,
                resource_type=_ROW.type_name,
                physical_id=None,
                status=status,
                reason="so",
                created_at=_NOW,
            )
        )
    for state in (breakpoints.WAITING, breakpoints.CLEARED):
        notes.record_breakpoint(
            _STACK, _ROW, ("pre-create", state), "paused", _NOW, _STATUSES
        )
    yield from notes.take().notifications


_CALL = lifecycle.Call(
    plugin="freeze",
    phase=lifecycle.PRE,
    ruling="deny",
    text="it is Friday",
    began_at=_NOW,
    enforcement=lifecycle.SOFT_MANDATORY,
    overridden_by="ann",
    override_reason="INC-4711",
)


def of_the_rest() -> Samples:
    notes = recorder.Recorder(0, make_operation())
    for answer in payloads.APPROVALS:
        hold = dataclasses.replace(_HOLD, answer=answer)
        notes.record_approval(_STACK, hold, "held", _NOW, _STATUSES)
    notes.record_override(_STACK, _CALL, "overridden", _NOW, _STATUSES)
    yield from notes.take().notifications
    difference = observation.Difference(property="p", expected=1, live=2)
    for kind in drifts.Kind:
        change = drifts.Change(
            kind=kind, row=_ROW, path="web", differences=(difference,)
        )
        about = drifts.NotifiedStack(
            stack=_STACK,
            operation=make_operation(),
            newest=1,
            drift=observation.StackDrift(
                state=observation.State.DRIFTED, coverage=50, drifted=1
            ),
            statuses=_STATUSES,
            now=_NOW,
        )
        yield from drifts.build_facts(about, [change]).notifications
    request = signals.Resize(
        group="g", adjustment_type="change_in_capacity", adjustment=1
    )
    resizing = make_operation(
        states.Action.UPDATE,
        options=scaling.options_of(
            _STACK, make_operation(), request, "group", (1, 2), ({}, {})
        ),
    )
    for status in states.Status:
        resized = scaling.find_notification(
            dataclasses.replace(_STACK, status=status),
            resizing,
            3,
            1,
            _STATUSES,
            _NOW,
        )
        assert resized is not None
        yield resized
    deployment = software.Deployment(
        id="d",
        project_id="p",
        server_id="web",
        config_id="c",
        created_at=_NOW,
    )
    for told in deployments.Kind:
        yield deployments.notification_of(deployment, told, {}, _NOW)


class SchemasTest(base.TestCase):
    def test_the_files_are_as_the_tool_writes_them(self) -> None:
        place = notification_schemas.PLACE
        written = {
            path.name: path.read_text(encoding="utf-8")
            for path in place.iterdir()
        }

        self.assertEqual(notification_schemas.files(), written)

    def test_each_is_a_schema(self) -> None:
        for name, text in notification_schemas.files().items():
            schema = json.loads(text)
            jsonschema.Draft202012Validator.check_schema(schema)
            self.assertEqual(name, schema["$id"])

    def test_each_type_that_is_told_has_one_and_the_other_way_round(
        self,
    ) -> None:
        self.assertEqual(set(notification_schemas.schemas()), set(samples()))

    def test_a_sample_of_each_type_fits(self) -> None:
        for event_type, payload in samples().items():
            self.assertEqual(
                [], payload_schemas.faults_of(event_type, payload)
            )

    def test_what_is_more_or_less_does_not_fit(self) -> None:
        for event_type, payload in samples().items():
            more = payload_schemas.faults_of(
                event_type, {**payload, "environment_hash": "e"}
            )
            self.assertEqual(1, len(more), event_type)
            for name in payload:
                less = {**payload}
                del less[name]
                self.assertEqual(
                    1, len(payload_schemas.faults_of(event_type, less)), name
                )

    def test_a_type_that_nobody_knows_does_not_fit(self) -> None:
        self.assertEqual(
            ["orchestration.stack.dance.end has no schema"],
            payload_schemas.faults_of("orchestration.stack.dance.end", {}),
        )
