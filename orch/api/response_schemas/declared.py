"""The schemas of all facts that are shown by their declarations."""

import typing

from orch.api.response_schemas import facts
from orch.api.response_schemas import shapes
from orch.rpc import contract

FACTS: typing.Final = facts.Components(
    {
        contract.CallFacts: "LifecycleCall",
        contract.ChangeFacts: "Change",
        contract.ChildHoldFacts: "ChildHold",
        contract.DifferenceFacts: "Difference",
        contract.BlockedFacts: "Blocked",
        contract.DriftFacts: "Drift",
        contract.DriftResourceFacts: "DriftResource",
        contract.DriftSummary: "DriftSummary",
        contract.FailureFacts: "Failure",
        contract.HoldFacts: "Hold",
        contract.OmittedFacts: "Omitted",
        contract.HandOverFacts: "HandOver",
        contract.LeftoverFacts: "Leftover",
        contract.LifecyclePluginFacts: "LifecyclePlugin",
        contract.OpenHoldFacts: "OpenHold",
        contract.OperationFacts: "Operation",
        contract.PlaceDifferenceFacts: "PlaceDifference",
        contract.PlanFacts: "Plan",
        contract.ResourceDrift: "ResourceDrift",
        contract.ServiceFacts: "Service",
        contract.SavedPlanFacts: "SavedPlan",
        contract.SavedSearchFacts: "SavedSearch",
        contract.SnapshotFacts: "Snapshot",
        contract.SoftwareDeploymentFacts: "SoftwareDeployment",
        contract.StackDriftFacts: "DriftStack",
        contract.VerdictFacts: "Verdict",
    },
    added={
        contract.FailureFacts: {"resource_name": shapes.TEXT},
        contract.ForwardedAddress: {
            "resource": shapes.TEXT,
            "problem": shapes.NULLABLE_TEXT,
        },
        contract.OperationFacts: {"links": shapes.many(shapes.ref("Link"))},
        contract.ProgressFacts: {"resource_status": shapes.TEXT},
        contract.SavedPlanFacts: {"links": shapes.many(shapes.ref("Link"))},
        contract.ServiceFacts: {
            "engine_id": shapes.TEXT,
            "hostname": shapes.TEXT,
            "status": shapes.one_of("up", "down"),
            "deleted_at": shapes.NULL,
        },
        contract.SnapshotFacts: {
            "action": shapes.TEXT,
            "status_reason": shapes.NULLABLE_TEXT,
        },
    },
)
