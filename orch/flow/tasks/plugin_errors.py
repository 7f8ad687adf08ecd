"""Wrap what a plug-in call raises, so that it can be stored and shown.

A plug-in may raise anything: what ends a thread, what ends a process, what
cannot even be turned into text. None of it may reach further than to the
status reason of its resource.
"""

from orch import errors


class UnexpectedPluginError(errors.Permanent):
    """A plug-in raised no ordinary error; the text names it."""

    code = "orch.resource.unexpected_error"


def wrap_plugin_error(error: BaseException) -> Exception:
    """Return an ordinary error itself; wrap any other.

    :returns: an ``Exception`` that can be turned into text
    """
    try:
        text = str(error)
    except BaseException:
        text = "it has no text"
    else:
        if isinstance(error, Exception):
            return error
    return UnexpectedPluginError(f"{type(error).__name__}: {text}")
