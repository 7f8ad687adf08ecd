"""The result of a deployment in a signal, and its outputs."""

import collections.abc
import dataclasses
import typing

from orch.plugin import software

Values = collections.abc.Mapping[str, object]

CODE: typing.Final = "deploy_status_code"
STDOUT: typing.Final = "deploy_stdout"
STDERR: typing.Final = "deploy_stderr"
ALWAYS: typing.Final = (STDOUT, STDERR, CODE)
"""Outputs that every deployment has."""


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a deployment.

    :ivar outputs: the values of all outputs
    """

    status: software.Status
    reason: str
    outputs: Values


def parse_signal(
    details: Values,
    declared: collections.abc.Iterable[Values],
    before: Values,
) -> Outcome:
    """Return what a signal says.

    :param details: outputs by name; undeclared ones are passed over
    :param declared: outputs of the config
    :param before: outputs as they were
    """
    outputs, failures = dict(before), _failures_of(details)
    for one in declared:
        name = str(one["name"])
        if name in details:
            outputs[name] = details[name]
            if one.get("error_output"):
                failures[name] = details[name]
    for name in ALWAYS:
        outputs[name] = details.get(name)
    if failures:
        reason = ", ".join(f"{name} : {why}" for name, why in failures.items())
        return Outcome(software.Status.FAILED, reason, outputs)
    return Outcome(software.Status.COMPLETE, "Outputs received", outputs)


@dataclasses.dataclass(frozen=True, slots=True)
class StoredOutcome:
    """The result of a deployment in the document of a stack.

    :ivar outputs: ``None`` where the document tells none
    :ivar observed: how many signals say nothing of it
    """

    status: software.Status
    reason: str
    outputs: Values | None = None
    observed: int = 0


def parse_document(found: object) -> StoredOutcome:
    """Return what a document says; what is wrong in it is passed over.

    Where it says nothing it went well: the server exists already.
    """
    known = found if isinstance(found, dict) else {}
    status, reason = known.get("status"), known.get("status_reason")
    outputs, observed = known.get("output_values"), known.get("signal_count")
    by_name = {each.value: each for each in software.Status}
    return StoredOutcome(
        by_name.get(str(status), software.Status.COMPLETE),
        reason if isinstance(reason, str) and reason else "Adopted",
        dict(outputs) if isinstance(outputs, dict) else None,
        observed if isinstance(observed, int) else 0,
    )


def last_signal_details(signals: Values) -> Values:
    """Return the details of the last signal.

    :param signals: what signals have left with the deployment
    """
    found = signals.get(software.DETAILS)
    return found if isinstance(found, dict) else {}


def latest_outcome(
    found: StoredOutcome,
    signals: Values,
    declared: collections.abc.Iterable[Values],
) -> StoredOutcome:
    """Return the outcome, or what a signal says that was not taken in.

    :param signals: what signals have left with the deployment
    :param declared: outputs of the config
    """
    if (
        found.status is not software.Status.IN_PROGRESS
        or software.count_signals(signals) <= found.observed
    ):
        return found
    signalled = parse_signal(
        last_signal_details(signals), declared, found.outputs or {}
    )
    return StoredOutcome(signalled.status, signalled.reason, signalled.outputs)


def describe_signal(
    deployment_id: str,
    details: Values,
    error_outputs: collections.abc.Collection[str],
) -> str:
    """Return what the event of a signal says."""
    code = details.get(CODE)
    if is_failure(code):
        return f"deployment {deployment_id} failed ({code})"
    if any(name in details for name in error_outputs):
        return f"deployment {deployment_id} failed"
    return f"deployment {deployment_id} succeeded"


def is_failure(code: object) -> bool:
    """Whether an exit code is one of failure."""
    return bool(code) and str(code) != "0"


def _failures_of(details: Values) -> dict[str, object]:
    code = details.get(CODE)
    if not is_failure(code):
        return {}
    return {CODE: f"Deployment exited with non-zero status code: {code}"}
