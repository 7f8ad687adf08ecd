"""Which facts of the contract are values of the client, and what differs.

A field is an attribute of the same name. What is not said here comes from the
contract: a field that is added there needs nothing here.
"""

import collections.abc
import dataclasses
import typing

from orch.rpc import contract

NAMES: typing.Final = {"type_name": "type"}
"""Attributes by fields, in all values that name no other."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Extra:
    """An attribute that is no field of the facts.

    :ivar annotation: of the attribute, as source
    :ivar value: an expression of ``body``; empty where ``of`` takes it as a
        parameter of that name
    :ivar default: as source; empty for none
    :ivar text: for its line in the docstring; empty for none
    """

    annotation: str
    value: str = ""
    default: str = ""
    text: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Value:
    """A class of the client.

    :ivar facts: the class of the contract that it is made of
    :ivar module: in ``orchclient.values``; by default that of the facts
    :ivar methods: what it inherits, module and class; empty for nothing
    :ivar names: attributes by fields, where they differ
    :ivar omitted: fields that it does not have
    :ivar required: fields of text without which no value is made
    :ivar defaults: of fields, where the body has none, or null
    :ivar extras: what else it has, by name
    """

    facts: type
    name: str
    module: str = ""
    methods: str = ""
    names: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    omitted: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    defaults: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    extras: collections.abc.Mapping[str, Extra] = dataclasses.field(
        default_factory=dict
    )

    def find_attribute(self, key: str) -> str:
        """Return the name of the attribute that shows a field."""
        return self.names.get(key, NAMES.get(key, key))


_STACK: typing.Final = {
    "stack": Extra(annotation="stack_identity.StackIdentity")
}

VALUES: typing.Final = (
    Value(
        facts=contract.ForwardedAddress,
        name="OldAddress",
        names={
            "type_name": "resource_type",
            "waiting": "signals_waiting",
            "used_at": "last_used_at",
            "notified_at": "last_notified_at",
        },
        extras={
            "resource": Extra(
                annotation="str",
                value='response_parser.get_text(body, "resource")',
                text="names from the stack down, ``/`` between",
            ),
            "problem": Extra(
                annotation="str | None",
                value='response_parser.find_text(body, "problem")',
                text="why the last signal was not forwarded, or was refused",
            ),
        },
    ),
    Value(
        facts=contract.OmittedResource,
        name="OmittedResource",
        names={"physical_id": "resource_id"},
        defaults={"physical_id": ""},
    ),
    Value(
        facts=contract.PlaceDifferenceFacts,
        name="PlaceDifference",
        required=("place",),
        defaults={"kind": "changed"},
    ),
    Value(
        facts=contract.DifferenceFacts,
        name="Difference",
        required=("property",),
    ),
    Value(
        facts=contract.DriftResourceFacts,
        name="DriftResource",
        required=("name", "path", "state"),
    ),
    Value(
        facts=contract.StackDriftFacts,
        name="StackDrift",
        methods="methods.StackMethods",
        required=("state",),
    ),
    Value(
        facts=contract.DriftFacts,
        name="Report",
        module="drift_report",
        methods="report_methods.ReportMethods",
        required=("state",),
        extras={
            "body": Extra(
                annotation="response_parser.Json",
                value="body",
                default="dataclasses.field(default_factory=dict, repr=False)",
                text="the report as the service wrote it",
            )
        },
    ),
    Value(facts=contract.DriftPause, name="Pause"),
    Value(
        facts=contract.HistoryEntry,
        name="HistoryEntry",
        required=("id", "path", "found_by"),
    ),
    Value(
        facts=contract.UncoveredProperty,
        name="UncoveredProperty",
        required=("property", "reason"),
    ),
    Value(
        facts=contract.DriftSummary, name="DriftSummary", required=("state",)
    ),
    Value(facts=contract.OmittedChange, name="OmittedChange"),
    Value(
        facts=contract.LifecyclePluginFacts, name="Plugin", required=("name",)
    ),
    Value(
        facts=contract.VerdictFacts,
        name="Verdict",
        methods="methods.VerdictMethods",
        required=("plugin", "ruling"),
    ),
    Value(
        facts=contract.CallFacts,
        name="Call",
        required=("plugin", "phase"),
        defaults={"attempt": 1},
    ),
    Value(
        facts=contract.HoldFacts,
        name="Hold",
        methods="methods.HoldMethods",
        required=("plugin",),
    ),
    Value(
        facts=contract.ChildHoldFacts,
        name="OpenHold",
        methods="methods.WaitingMethods",
    ),
    Value(
        facts=contract.OpenHoldFacts,
        name="Held",
        methods="methods.HeldMethods",
        required=("operation_id",),
    ),
    Value(
        facts=contract.Accepted,
        name="Side",
        module="moves",
        names={"identity": "stack"},
        required=("operation_id",),
    ),
    Value(facts=contract.Moved, name="Move"),
    Value(
        facts=contract.MoveUpdate,
        name="MoveUpdate",
        names={"identity": "stack"},
    ),
    Value(facts=contract.MovePreview, name="MovePreview"),
    Value(facts=contract.AttemptFacts, name="Attempt"),
    Value(facts=contract.WaitFacts, name="Wait", required=("kind", "path")),
    Value(facts=contract.BlockedFacts, name="Blocked"),
    Value(facts=contract.StepFacts, name="Step"),
    Value(
        facts=contract.ProgressFacts,
        name="Progress",
        required=("name",),
        extras={
            "status": Extra(
                annotation="status_.Status",
                value="status_.Status.of("
                'response_parser.get_text(body, "resource_status"))',
            )
        },
    ),
    Value(
        facts=contract.FailureFacts,
        name="Failure",
        methods="methods.FailureMethods",
    ),
    Value(
        facts=contract.OperationFacts,
        name="Operation",
        methods="operation_methods.OperationMethods",
        names={"failed_resources": "failures", "lifecycle": "calls"},
        omitted=("failures",),
        required=("id", "action", "state"),
        defaults={"attempt": 1, "child_holds": ()},
        extras=_STACK,
    ),
    Value(
        facts=contract.PlaceChange,
        name="PlaceChange",
        required=("place",),
        defaults={"kind": "changed"},
    ),
    Value(
        facts=contract.PropertyChange,
        name="PropertyChange",
        defaults={"needs_replacement": False},
    ),
    Value(
        facts=contract.ChangeFacts,
        name="Change",
        methods="methods.ChangeMethods",
        names={"resource_name": "name", "resource_type": "type"},
        required=("key", "kind"),
        defaults={"is_certain": True},
    ),
    Value(
        facts=contract.PlanFacts,
        name="Plan",
        methods="methods.PlanMethods",
        required=("action",),
        defaults={"verdicts": ()},
        extras={
            "saved": Extra(
                annotation='"SavedPlan | None"',
                default="None",
                text="facts of a saved plan; ``None`` for a preview",
            )
        },
    ),
    Value(
        facts=contract.SavedPlanFacts,
        name="SavedPlan",
        omitted=("plan",),
        required=("id",),
        extras=_STACK,
    ),
    Value(
        facts=contract.ServiceFacts,
        name="Process",
        required=("id",),
        extras={
            "is_up": Extra(
                annotation="bool", value='body.get("status") == "up"'
            )
        },
    ),
    Value(
        facts=contract.SnapshotFacts,
        name="Snapshot",
        names={"status": "state"},
        required=("id", "status"),
        defaults={"name": ""},
        extras={
            **_STACK,
            "reason": Extra(
                annotation="str",
                value='response_parser.get_text(body, "status_reason")',
            ),
        },
    ),
    Value(
        facts=contract.SweepFacts,
        name="Sweep",
        names={"status": "state"},
        required=("status",),
    ),
    Value(
        facts=contract.HandOverFacts,
        name="HandOver",
        names={"project_id": "from_project", "receiver_id": "to_project"},
        required=("id", "state"),
    ),
    Value(
        facts=contract.SavedSearchFacts,
        name="SavedSearch",
        required=("name",),
        defaults={"description": "", "saved_by": "", "search": {}},
    ),
    Value(
        facts=contract.LeftoverFacts,
        name="Leftover",
        required=("id",),
    ),
    Value(
        facts=contract.OmittedFacts,
        name="Omitted",
        required=("name", "how"),
        defaults={"leftover_id": ""},
    ),
    Value(
        facts=contract.SoftwareDeploymentFacts,
        name="Deployment",
        names={"status": "state", "status_reason": "reason"},
        required=("id", "config_id", "server_id"),
        defaults={
            "action": "",
            "status": "",
            "status_reason": "",
            "input_values": {},
            "output_values": {},
        },
    ),
)
