"""What a verdict does to a request, by the enforcement level of the plug-in.

A denial of an advisory plug-in is a warning; that of a soft-mandatory one can
be overridden, with a reason, by a caller who has the right; that of a
mandatory one cannot. The API has checked the right.
"""

import collections.abc
import dataclasses

from orch.context import request
from orch.model import lifecycle as model
from orch.model import operation as operation_model
from orch.model import origin
from orch.plugin import lifecycle
from orch.plugin import lifecycle_order


@dataclasses.dataclass(frozen=True, slots=True)
class Override:
    """An override of denials, which a request brings.

    :ivar by: who sent the request, as people know them
    """

    by: str
    reason: str


def override_of(ctxt: request.RequestContext) -> Override | None:
    """Return the override of a request, if it brings one.

    Signals and repairs act with the rights of a caller who has not asked for
    them: they override nothing.
    """
    if ctxt.override_reason is None or ctxt.origin is not None:
        return None
    by = ctxt.user_name or ctxt.user_id or "an unknown user"
    return Override(by, ctxt.override_reason)


def override_of_operation(
    operation: operation_model.Operation,
) -> Override | None:
    """Return the override that the request of an operation has brought.

    Child operations and the rollback have it too; a retry has its own.
    """
    if operation.origin.cause != origin.REQUEST:
        return None
    return override_of(request.RequestContext.from_stored(operation.context))


def judge(
    members: lifecycle_order.PluginOrder,
    call: model.Call,
    override: Override | None,
    redact: collections.abc.Callable[[str], str],
) -> tuple[model.Call, lifecycle.Ruling]:
    """Return the call of a pre-op, and its ruling: allow, deny or hold.

    A plug-in that gave no verdict denies the request, unless it fails open. An
    override answers no hold: that waits for an approval.

    :param redact: redacts the reason of an override
    """
    level = members.enforcement_of(call.plugin)
    call = dataclasses.replace(call, enforcement=level.value)
    if call.ruling in (lifecycle.Ruling.ALLOW, lifecycle.Ruling.WARN):
        return call, lifecycle.Ruling.ALLOW
    if call.ruling is None and members.forgives(call.plugin):
        call = dataclasses.replace(call, is_passed_over=True)
        return call, lifecycle.Ruling.ALLOW
    if level is lifecycle_order.Enforcement.ADVISORY:
        return call, lifecycle.Ruling.ALLOW
    if call.ruling == lifecycle.Ruling.HOLD:
        return call, lifecycle.Ruling.HOLD
    if level is lifecycle_order.Enforcement.SOFT_MANDATORY and override:
        call = dataclasses.replace(
            call,
            overridden_by=override.by,
            override_reason=redact(override.reason),
        )
        return call, lifecycle.Ruling.ALLOW
    return call, lifecycle.Ruling.DENY
