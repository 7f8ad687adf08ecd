"""Decide what each RPC call may do with what other projects have.

It is decided once, when the call arrives, by the rules of this worker and by
whether the method reads or changes; what the sender's process thinks of its
caller does not count. ``orch.engine.queries.lookup`` applies it.
"""

from orch.context import request
from orch.policies import enforcer
from orch.policies import stacks


def find_access(
    rules: enforcer.Enforcer,
    ctxt: request.RequestContext,
    *,
    is_read: bool,
) -> request.OtherProjects:
    """Return what a call may do with what other projects have.

    :param is_read: the method only reads, by its mark in the contract
    """
    if not is_read and rules.may_anywhere(ctxt, stacks.CHANGE_OTHERS):
        return request.OtherProjects.ALLOWED
    if not rules.may_anywhere(ctxt, stacks.READ_OTHERS):
        return request.OtherProjects.MISSING
    if is_read:
        return request.OtherProjects.ALLOWED
    return request.OtherProjects.REFUSED
