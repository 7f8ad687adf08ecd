"""Lets the plan that is shown go by what the one that runs goes by."""

import dataclasses

from orch.context import request
from orch.engine import dependencies
from orch.engine import planning
from orch.model import converging
from orch.model import operation


def surveyed(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    loaded: planning.Loaded,
    asked: operation.Operation,
) -> planning.Loaded:
    """Return what a plan is made from, with what its things are now.

    Call it outside of transactions: services may be asked.

    :param asked: the operation; of one that goes by its rows nothing is read
    """
    if deps.surveyor is None or not converging.is_asked(asked):
        return loaded
    found = deps.surveyor.survey(loaded.subject, ctxt, is_awaited=True)
    return dataclasses.replace(loaded, survey=found)
