"""Unknown outcomes of creations, and what people answer to them."""

from orch import errors
from orch.flow.tasks import plugin_errors
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import resource


def with_advice(
    error: call_context.OutcomeUnknown, context: call_context.Context
) -> call_context.OutcomeUnknown:
    """Return the error with what a person can do about it."""
    return call_context.OutcomeUnknown(
        f"{error.message.rstrip('.')}; look in the service for"
        f" {context.token} or {context.physical_name}, then answer which id"
        " it has, or that it was not made (orch resource outcome)"
    )


def look(plugin: resource.Resource, context: call_context.Context) -> str:
    """Return why the physical resource of an answer was not seen.

    Where its type or its service cannot show it, the answer counts.

    :returns: empty where it was seen, or its type cannot read any
    :raises orch.plugin.call_context.OutcomeUnknown: it does not exist
    :raises orch.errors.Transient: the service gives no answer now
    """
    try:
        plugin.get_reality(context)
    except reality.Vanished as error:
        raise call_context.OutcomeUnknown(
            f"nothing exists under the id {context.physical_id} that was"
            f" answered ({error.message.rstrip('.')}); answer again which id"
            " it has, or that it was not made (orch resource outcome)"
        ) from error
    except errors.Transient:
        raise
    except Exception as error:
        wrapped = plugin_errors.wrap_plugin_error(error)
        return f"Used as it was answered, although it was not seen: {wrapped}"
    return ""
