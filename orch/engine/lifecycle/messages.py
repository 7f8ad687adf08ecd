"""Messages for users about the calls of lifecycle plug-ins."""

from orch import clock
from orch.model import lifecycle as model


def denied_message(plugin: str, action: str, text: str) -> str:
    """Return why an operation fails that a plug-in denies."""
    return f"Lifecycle plug-in {plugin} denied the {action}" + _more(text)


def unanswered_message(plugin: str, action: str, error: str) -> str:
    """Return why an operation fails that a plug-in gave no verdict on."""
    return (
        f"Lifecycle plug-in {plugin} denied the {action}: it failed: {error}"
    )


def cannot_hold_message(plugin: str, action: str, text: str) -> str:
    """Return why a request is refused that a plug-in wants to hold."""
    return (
        f"Lifecycle plug-in {plugin} requires an approval of the {action}"
        " first, and that cannot wait" + _more(text)
    )


def warning_message(plugin: str, action: str, text: str) -> str:
    """Return the warning of a plug-in about an operation that goes on."""
    return f"Lifecycle plug-in {plugin} warns of the {action}" + _more(text)


def refusal_message(run: model.Run, action: str) -> str:
    """Return why an operation fails that a plug-in has refused.

    :param run: the state of the calls
    """
    if run.is_rejected and run.hold is not None:
        return rejected_message(action, run.hold)
    call = run.calls[-1]
    if call.ruling is None:
        return unanswered_message(call.plugin, action, call.error or "")
    return denied_message(call.plugin, action, call.text)


def verdict_message(call: model.Call, action: str) -> str:
    """Return the warning about a verdict with which an operation goes on."""
    if call.error is None:
        return warning_message(call.plugin, action, call.text)
    return passed_over_message(call.plugin, action, call.error)


def passed_message(
    plugin: str, phase: str, action: str, seconds: float
) -> str:
    """Return the message that a plug-in was called and gave no warning."""
    when = "before" if phase == model.PRE else "after"
    return (
        f"Lifecycle plug-in {plugin} was called {when} the {action}, for"
        f" {seconds:.3f} s"
    )


def passed_over_message(plugin: str, action: str, error: str) -> str:
    """Return the message that a failed plug-in is passed over."""
    return (
        f"Lifecycle plug-in {plugin} failed, and is passed over for the"
        f" {action}: {error}"
    )


def held_message(plugin: str, action: str, hold: model.Hold) -> str:
    """Return which approval an operation waits for."""
    return (
        f"Lifecycle plug-in {plugin} holds the {action} until it is approved,"
        f" at the latest until {clock.isoformat(hold.deadline_at)}"
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


def post_hook_failed_message(plugin: str, action: str, error: str) -> str:
    """Return the message that a post-op failed."""
    return f"Lifecycle plug-in {plugin} failed after the {action}: {error}"


def objection_message(plugin: str, text: str) -> str:
    """Return the objection of a plug-in to a cancellation."""
    return (
        f"Lifecycle plug-in {plugin} objects to the cancellation, which"
        " continues" + _more(text)
    )


def plugin_gone_message() -> str:
    """Return the message that a plug-in is not installed any more."""
    return "it is not installed any more"


def _by(hold: model.Hold) -> str:
    return f" by {hold.answered_by}" if hold.answered_by else ""


def _more(text: str) -> str:
    return f": {text}" if text else ""
