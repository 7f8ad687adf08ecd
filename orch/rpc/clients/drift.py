"""Drift of stacks, over the bus."""

import collections.abc
import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller


class Drift(caller.Client):
    """The ``drift`` namespace."""

    namespace = "drift"

    def observe(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> contract.DriftRequested:
        """Return once it is stored that the tree is to be looked at.

        :raises orch.errors.NotFound: this caller has no such stack
        """
        return typing.cast(
            contract.DriftRequested,
            self._call(ctxt, "observe", stack_id=stack_id),
        )

    def show(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        states: collections.abc.Sequence[str] = (),
        *,
        limit: int | None = None,
        marker: str | None = None,
    ) -> contract.DriftFacts:
        """Return what was seen of a stack and of those in it.

        Workers of the release before know no pages, and are not asked for
        one where nobody wants it.

        :param states: of resources; none for all
        :param limit: resources at most; ``None`` for all
        :param marker: path of the resource behind which the page begins
        :raises orch.errors.NotFound: this caller has no such stack
        """
        page = {"limit": limit, "marker": marker}
        wanted = {key: one for key, one in page.items() if one is not None}
        return typing.cast(
            contract.DriftFacts,
            self._call(
                ctxt, "show", stack_id=stack_id, states=states, **wanted
            ),
        )

    def show_policy(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> dict[str, object]:
        """Return what is to be done about the drift of a tree.

        :raises orch.errors.NotFound: this caller has no such stack
        """
        return typing.cast(
            dict[str, object],
            self._call(ctxt, "show_policy", stack_id=stack_id),
        )

    def set_policy(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        policy: collections.abc.Mapping[str, object],
    ) -> dict[str, object]:
        """Return the policy once it is stored.

        :raises orch.errors.Invalid: the stack is in another one
        :raises orch.errors.NotFound: this caller has no such stack
        """
        return typing.cast(
            dict[str, object],
            self._call(ctxt, "set_policy", stack_id=stack_id, policy=policy),
        )

    def accept(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        paths: collections.abc.Sequence[str] | None,
    ) -> contract.AcceptedDrift:
        """Return once what was seen of resources is what is expected.

        :param paths: of resources; ``None`` for all that have drifted
        :raises orch.errors.Invalid: one has not drifted, or has vanished
        :raises orch.errors.Conflict: an operation is under way
        """
        return typing.cast(
            contract.AcceptedDrift,
            self._call(
                ctxt,
                "accept",
                stack_id=stack_id,
                paths=paths,
            ),
        )

    def template(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> contract.DriftTemplate:
        """Return a template of the stack in which its drift is wanted.

        :raises orch.errors.NotFound: this caller has no such stack
        """
        return typing.cast(
            contract.DriftTemplate,
            self._call(ctxt, "template", stack_id=stack_id),
        )
