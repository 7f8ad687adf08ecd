"""What is told of operations."""

import typing


class AttemptFacts(typing.TypedDict):
    """One attempt of an operation; ``number`` counts from 1."""

    number: int
    asked_by: str | None
    state: str
    reason: str
    started_at: float | None
    finished_at: float | None


class StepFacts(typing.TypedDict):
    """One step of an operation's plan; ``state``: WAITING until it began."""

    kind: str
    resource_name: str
    state: str


class ProgressFacts(typing.TypedDict):
    """What an operation has done to one resource so far, last of all."""

    name: str
    type_name: str
    action: str
    status: str
    reason: str
    started_at: float | None
    finished_at: float | None


class OperationFacts(typing.TypedDict, total=False):
    """One operation of a stack.

    ``inputs_hash``: of template, environment, parameters and files; null
    when nothing is to be left. ``next_try_at``: when a blocked one goes on by
    itself; ``expected_at``: when it should have ended, by what earlier ones
    took; null when nobody knows. ``plan_id``: the kept plan that it runs.
    ``steps`` and ``resources`` come with show only, ``steps`` once it was
    planned: those of its last run.
    """

    id: str
    inputs_hash: str | None
    attempts: list[AttemptFacts]
    skip: list[str]
    orphan: list[str]
    keep_going: bool
    plan_id: str | None
    next_try_at: float | None
    expected_at: float | None
    steps: list[StepFacts] | None
    resources: list[ProgressFacts]
    action: str
    state: str
    attempt: int
    reason: str
    total: int
    done: int
    failures: list[dict[str, object]]
    superseded_by: str | None
    asked_by: str | None
    worker: str | None
    created_at: float
    started_at: float | None
    finished_at: float | None
