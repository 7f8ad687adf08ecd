"""Messages for users about the calls of lifecycle plug-ins."""

import typing

from orch import clock
from orch.model import lifecycle as model

_ADVICE: typing.Final = {
    "deny": "denied",
    "hold": "requires an approval of",
    None: "failed before",
}


def cannot_hold_message(call: model.Call, action: str) -> str:
    """Return why a request is refused that a plug-in wants to hold."""
    return (
        f"Lifecycle plug-in {call.plugin} requires an approval of the {action}"
        " first, and that cannot wait" + _more(call.text)
    )


def refusal_message(
    run: model.Run, action: str, *, has_override: bool = False
) -> str:
    """Return why an operation fails that a plug-in has refused.

    :param run: the state of the calls
    :param has_override: its request overrides denials
    """
    if run.is_rejected and run.hold is not None:
        return rejected_message(action, run.hold)
    return denial_message(run.calls[-1], action, has_override=has_override)


def denial_message(
    call: model.Call, action: str, *, has_override: bool = False
) -> str:
    """Return why a request is refused that a plug-in denies.

    :param has_override: the request overrides denials
    """
    text = f"it failed: {call.error}" if call.ruling is None else call.text
    message = f"Lifecycle plug-in {call.plugin} denied the {action}"
    message += _more(text)
    if call.enforcement == model.SOFT_MANDATORY:
        return (
            f"{message} (soft-mandatory: who has the right may override it"
            " with a reason)"
        )
    if has_override:
        return f"{message} (mandatory: it cannot be overridden)"
    return message


def verdict_message(call: model.Call, action: str) -> str:
    """Return the warning about a verdict with which an operation goes on."""
    text = call.error or call.text
    if call.overridden_by is not None:
        return (
            f"Lifecycle plug-in {call.plugin} denied the {action}, and"
            f" {call.overridden_by} has overridden that:"
            f" {call.override_reason} (denied with: {text})"
        )
    if call.enforcement == model.ADVISORY and call.ruling != "warn":
        return (
            f"Lifecycle plug-in {call.plugin}, which is advisory,"
            f" {_ADVICE[call.ruling]} the {action}" + _more(text)
        )
    if call.error is None:
        said = f"warns of the {action}" + _more(text)
    else:
        said = f"failed, and is passed over for the {action}: {text}"
    return f"Lifecycle plug-in {call.plugin} {said}"


def passed_message(call: model.Call, action: str) -> str:
    """Return the message that a plug-in was called and gave no warning."""
    when = "before" if call.phase == model.PRE else "after"
    return (
        f"Lifecycle plug-in {call.plugin} was called {when} the {action}, for"
        f" {call.seconds:.3f} s"
    )


def held_message(action: str, hold: model.Hold) -> str:
    """Return which approval an operation waits for."""
    return (
        f"Lifecycle plug-in {hold.plugin} holds the {action} until it is"
        f" approved, at the latest until {clock.isoformat(hold.deadline_at)}"
        + _more(hold.text)
    )


def approved_message(action: str, hold: model.Hold) -> str:
    """Return the message that a held operation was approved."""
    return (
        f"The {action} that lifecycle plug-in {hold.plugin} held was approved"
        + _by(hold)
        + _more(hold.answer_text)
    )


def tree_approval_message(action: str, approval: model.Hold) -> str:
    """Return the message that the approval of another hold counts."""
    return (
        f"Lifecycle plug-in {approval.plugin} requires an approval of the"
        f" {action}; that of the tree counts, which was given"
        + _by(approval)
        + _more(approval.answer_text)
    )


def rejected_message(action: str, hold: model.Hold) -> str:
    """Return why a held operation fails: rejected, or never approved."""
    if hold.answer == model.EXPIRED:
        return (
            f"The {action} that lifecycle plug-in {hold.plugin} held was not"
            f" approved until {clock.isoformat(hold.deadline_at)}"
            + _more(hold.text)
        )
    return (
        f"The {action} that lifecycle plug-in {hold.plugin} held was rejected"
        + _by(hold)
        + _more(hold.answer_text or hold.text)
    )


def post_hook_failed_message(call: model.Call, action: str) -> str:
    """Return the message that a post-op failed."""
    return (
        f"Lifecycle plug-in {call.plugin} failed after the {action}:"
        f" {call.error}"
    )


def objection_message(call: model.Call) -> str:
    """Return the objection of a plug-in to a cancellation."""
    return (
        f"Lifecycle plug-in {call.plugin} objects to the cancellation, which"
        " continues" + _more(call.error or call.text)
    )


def _by(hold: model.Hold) -> str:
    return f" by {hold.answered_by}" if hold.answered_by else ""


def _more(text: str) -> str:
    return f": {text}" if text else ""
