"""Compare live properties with those after our last change."""

import collections.abc
import dataclasses

from orch import errors
from orch.model import observation
from orch.model import resource as model_resource
from orch.plugin import no_physical_resource
from orch.plugin import reality
from orch.plugin import resource

_State = observation.State


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DriftResult:
    """The drift of one physical resource.

    :ivar is_vanished: it does not exist any more: it has drifted
    :ivar differences: the drifted properties, values as the service shows
        them, not as they are compared
    :ivar compared: how many of the given properties could be compared; of a
        vanished one all
    :ivar given: how many properties the resource was given
    :ivar reason: why it is unknown, for users; empty for none
    """

    state: observation.State
    is_vanished: bool = False
    differences: tuple[observation.Difference, ...] = ()
    compared: int = 0
    given: int = 0
    reason: str = ""


def find_drift(
    plugin: resource.Resource,
    row: model_resource.Resource,
    answer: reality.Answer,
) -> DriftResult:
    """Return whether a physical resource has drifted, and in what.

    Properties that the baseline lacks are compared with those that the
    resource was given; those that neither has are not compared.

    :param answer: what was read of the physical resource
    """
    if has_no_physical_resource(plugin):
        return DriftResult(state=_State.NOTHING)
    given = list_given_properties(row)
    reason = _unknown_reason(plugin, row, answer)
    if reason:
        return DriftResult(
            state=_State.UNKNOWN, given=len(given), reason=reason
        )
    if isinstance(answer, reality.Vanished):
        return DriftResult(
            state=_State.DRIFTED,
            is_vanished=True,
            compared=len(given),
            given=len(given),
        )
    assert isinstance(answer, collections.abc.Mapping)
    try:
        differences = tuple(_differences(plugin, row, answer))
    except Exception as error:
        # One plug-in that fails must not hide what is known of the others.
        return DriftResult(
            state=_State.UNKNOWN,
            given=len(given),
            reason=(
                f"Its properties cannot be compared: {_describe_error(error)}"
            ),
        )
    return DriftResult(
        state=_State.DRIFTED if differences else _State.IN_SYNC,
        differences=differences,
        compared=sum(name in answer for name in given),
        given=len(given),
    )


def has_no_physical_resource(plugin: resource.Resource) -> bool:
    """Whether such resources have no physical resource of their own.

    The resources of a child stack are read by that stack.
    """
    return plugin.is_nested_stack or isinstance(
        plugin, no_physical_resource.NoPhysicalResource
    )


def list_given_properties(row: model_resource.Resource) -> tuple[str, ...]:
    """Return the properties that a resource was given."""
    return tuple(
        name for name, value in row.properties.items() if value is not None
    )


def _unknown_reason(
    plugin: resource.Resource,
    row: model_resource.Resource,
    answer: reality.Answer,
) -> str:
    """Return why nothing can be compared; empty when something can."""
    if not plugin.has_reality:
        return f"{row.type_name} cannot read its physical resources"
    if isinstance(answer, reality.Vanished):
        return ""
    if isinstance(answer, errors.OrchError):
        return answer.message or type(answer).__name__
    if answer is not None:
        return ""
    if row.physical_id is None:
        return "It is not made yet"
    return f"{row.type_name} cannot read this physical resource"


def _differences(
    plugin: resource.Resource,
    row: model_resource.Resource,
    live: reality.Reality,
) -> collections.abc.Iterator[observation.Difference]:
    baseline = row.baseline or {}
    for name in sorted(live):
        if name in baseline:
            expected = baseline[name]
        elif row.properties.get(name) is not None:
            expected = row.properties[name]
        else:
            continue
        is_same = plugin.normalise(name, expected) == plugin.normalise(
            name, live[name]
        )
        if not is_same:
            yield observation.Difference(
                property=name, expected=expected, live=live[name]
            )


def _describe_error(error: Exception) -> str:
    """Return what users may know of an error; others may hold values."""
    if isinstance(error, errors.OrchError):
        return error.message
    return type(error).__name__
