"""What people read of the calls of lifecycle plug-ins."""

from orch import clock
from orch.model import lifecycle as model


def denied_message(plugin: str, action: str, text: str) -> str:
    """Return why an operation fails that a plug-in is against."""
    return f"Lifecycle plug-in {plugin} denied the {action}" + _more(text)


def unanswered_message(plugin: str, action: str, error: str) -> str:
    """Return why one fails that a plug-in has given no verdict on."""
    return (
        f"Lifecycle plug-in {plugin} denied the {action}: it failed: {error}"
    )


def cannot_hold_message(plugin: str, action: str, text: str) -> str:
    """Return why something is refused that would have to wait."""
    return (
        f"Lifecycle plug-in {plugin} wants somebody to approve the {action}"
        " first, and that cannot wait" + _more(text)
    )


def warning_message(plugin: str, action: str, text: str) -> str:
    """Return what a plug-in has to say of an operation that goes on."""
    return f"Lifecycle plug-in {plugin} warns of the {action}" + _more(text)


def passed_message(
    plugin: str, phase: str, action: str, seconds: float
) -> str:
    """Return that a plug-in was called and had nothing to say."""
    when = "before" if phase == model.PRE else "after"
    return (
        f"Lifecycle plug-in {plugin} was called {when} the {action}, for"
        f" {seconds:.3f} s"
    )


def passed_over_message(plugin: str, action: str, error: str) -> str:
    """Return what became of a plug-in that may fail."""
    return (
        f"Lifecycle plug-in {plugin} failed, and is passed over for the"
        f" {action}: {error}"
    )


def held_message(plugin: str, action: str, hold: model.Hold) -> str:
    """Return what an operation waits for."""
    return (
        f"Lifecycle plug-in {plugin} holds the {action} until somebody"
        f" approves it, at the latest until"
        f" {clock.isoformat(hold.deadline_at)}" + _more(hold.text)
    )


def approved_message(action: str, hold: model.Hold) -> str:
    """Return that somebody has approved an operation."""
    who = hold.answered_by or "somebody"
    return (
        f"{who} approved the {action} that lifecycle plug-in {hold.plugin}"
        " held" + _more(hold.answer_text)
    )


def rejected_message(action: str, hold: model.Hold) -> str:
    """Return why an operation fails that nobody has approved."""
    if hold.answer == model.EXPIRED:
        return (
            f"Nobody approved the {action} that lifecycle plug-in"
            f" {hold.plugin} held until"
            f" {clock.isoformat(hold.deadline_at)}" + _more(hold.text)
        )
    who = hold.answered_by or "Somebody"
    return (
        f"{who} rejected the {action} that lifecycle plug-in {hold.plugin}"
        " held" + _more(hold.answer_text or hold.text)
    )


def post_hook_failed_message(plugin: str, action: str, error: str) -> str:
    """Return what a post-op that raised means for an operation."""
    return f"Lifecycle plug-in {plugin} failed after the {action}: {error}"


def objection_message(plugin: str, text: str) -> str:
    """Return what a plug-in has to say of a cancellation."""
    return (
        f"Lifecycle plug-in {plugin} objects to the cancellation, which goes"
        " on" + _more(text)
    )


def plugin_gone_message() -> str:
    """Return why a plug-in cannot be called."""
    return "it is not installed any more"


def _more(text: str) -> str:
    return f": {text}" if text else ""
