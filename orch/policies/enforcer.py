"""Asks oslo.policy, and answers in our errors.

oslo.policy looks for changed files and inspects call signatures at each
question: about 200 us, a third of what a short request costs. Answers are
therefore kept for :data:`KEPT_S` seconds, each for the very same caller.
"""

from oslo_config import cfg
from oslo_policy import policy

from orch import clock
from orch import errors
from orch import policies
from orch.context import request
from orch.policies import resource_types

KEPT_S = 2.0
_MOST_KEPT = 4096

_Key = tuple[object, ...]


class Enforcer:
    """Knows all rules and what the operator's policy file says of them."""

    def __init__(self, conf: cfg.ConfigOpts, time: clock.Clock) -> None:
        self._enforcer = policy.Enforcer(conf)
        self._enforcer.register_defaults(policies.list_rules())
        self._clock = time
        self._kept: dict[_Key, bool] = {}
        self._kept_until = 0.0

    def check(self, ctxt: request.RequestContext, rule: str) -> None:
        """Return when the caller may act on the project that is asked for.

        :param rule: a registered name, ``stacks:create``
        :raises orch.errors.Forbidden: no role of the caller allows it
        """
        if not self.may(ctxt, rule):
            raise errors.Forbidden(
                f"None of your roles on this project allows {rule}."
            )

    def may(self, ctxt: request.RequestContext, rule: str) -> bool:
        """Answer whether the caller may act on the project, by a rule."""
        target = {"project_id": ctxt.project_id, "user_id": ctxt.user_id}
        return self._allows(ctxt, rule, target)

    def is_admin(self, ctxt: request.RequestContext) -> bool:
        """Answer whether the caller runs the cloud, all projects of it."""
        return self._allows(ctxt, "context_is_admin", {})

    def allows_type(
        self, ctxt: request.RequestContext, type_name: str
    ) -> bool:
        """Answer whether the caller may have resources of a type."""
        return all(
            self._allows_named(ctxt, rule)
            for rule in resource_types.names_of(type_name)
        )

    def _allows_named(self, ctxt: request.RequestContext, rule: str) -> bool:
        """Answer by a rule that perhaps only the policy file knows.

        :returns: true where nobody knows it
        """
        kept = self._fresh()
        key = _key(ctxt, rule)
        allowed = kept.get(key)
        if allowed is None:
            self._enforcer.load_rules()
            target = {"project_id": ctxt.project_id, "user_id": ctxt.user_id}
            allowed = rule not in self._enforcer.rules or bool(
                self._enforcer.enforce(rule, target, ctxt)
            )
            kept[key] = allowed
        return allowed

    def _allows(
        self,
        ctxt: request.RequestContext,
        rule: str,
        target: dict[str, str | None],
    ) -> bool:
        """Answer by a rule.

        :param target: what the rule is about; the same one each time, for a
            caller and a rule
        """
        kept = self._fresh()
        key = _key(ctxt, rule)
        allowed = kept.get(key)
        if allowed is None:
            allowed = bool(self._enforcer.authorize(rule, target, ctxt))
            kept[key] = allowed
        return allowed

    def _fresh(self) -> dict[_Key, bool]:
        """Return the answers kept, none of which is older than allowed."""
        now = self._clock.monotonic()
        if now >= self._kept_until or len(self._kept) >= _MOST_KEPT:
            self._kept = {}
            self._kept_until = now + KEPT_S
        return self._kept


def _key(ctxt: request.RequestContext, rule: str) -> _Key:
    """Return all that an answer may depend on."""
    return (
        rule,
        ctxt.user_id,
        ctxt.project_id,
        ctxt.system_scope,
        ctxt.domain_id,
        ctxt.user_domain_id,
        ctxt.project_domain_id,
        ctxt.is_admin_project,
        ctxt.service_user_id,
        ctxt.service_project_id,
        *ctxt.roles,
        "/",
        *ctxt.service_roles,
    )
