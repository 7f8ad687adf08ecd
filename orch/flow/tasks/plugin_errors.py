"""What comes out of a plug-in's call, made safe to keep and to tell.

A plug-in may raise anything: what ends a thread, what ends a process, what
cannot even be turned into text. None of it may reach further than to the
reason of its resource.
"""

from orch import errors


class UnexpectedPluginError(errors.Permanent):
    """A plug-in raised what is no ordinary error; the text tells what."""

    code = "orch.resource.unexpected_error"


def wrap_plugin_error(error: BaseException) -> Exception:
    """Return the error itself where it is ordinary, or one that tells of it.

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
