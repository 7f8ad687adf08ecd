"""Asks oslo.policy, and answers in our errors.

oslo.policy looks for changed files and inspects call signatures at each
question: about 200 us, a third of what a short request costs. Answers are
therefore kept for :data:`CACHE_TTL_S` seconds, each for the very same caller.
"""

import collections.abc

from oslo_config import cfg
from oslo_policy import policy

from orch import clock
from orch import errors
from orch import policies
from orch.conf import api
from orch.context import request
from orch.policies import base
from orch.policies import resource_types

CACHE_TTL_S = 2.0
_MAX_CACHED = 4096

_Key = tuple[object, ...]


class Enforcer:
    """Knows all rules and what the operator's policy file says of them."""

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        time: clock.Clock,
        find_like: collections.abc.Callable[[str], str] | None = None,
    ) -> None:
        """Read the rules, and whether callers log in (``[api] auth``).

        :param find_like: returns the type that another one is an older name
            of, empty for none; where it is missing types have one name
        """
        api.SECTION.register(conf)
        is_open = conf.api.auth == "none"
        self._enforcer = policy.Enforcer(conf)
        self._enforcer.register_defaults(policies.list_rules(is_open=is_open))
        self._clock = time
        self._find_like = find_like
        self._cached: dict[_Key, bool] = {}
        self._refusals: dict[_Key, str | None] = {}
        self._cached_until = 0.0

    def check(self, ctxt: request.RequestContext, rule: str) -> None:
        """Return when the caller may act on the project that is asked for.

        :param rule: a registered name, ``stacks:create``
        :raises orch.errors.Forbidden: no role of the caller allows it, or it
            is about a project, and the caller has none
        """
        if self.may(ctxt, rule):
            return
        if ctxt.project_id is None:
            if not self._is_of_system(rule):
                self.check_project(ctxt)
            raise errors.Forbidden(
                f"None of your roles on the whole system allows {rule}."
            )
        raise errors.Forbidden(
            f"None of your roles on this project allows {rule}."
        )

    def check_project(self, ctxt: request.RequestContext) -> None:
        """Return when the caller has a project.

        :raises orch.errors.Forbidden: the token is for something else
        """
        if ctxt.project_id is None:
            raise no_project(ctxt)

    def may(self, ctxt: request.RequestContext, rule: str) -> bool:
        """Answer whether the caller may act on the project, by a rule."""
        if ctxt.project_id is None and not self._is_of_system(rule):
            # oslo.policy refuses it too, unless it is told not to.
            return False
        return self._allows(ctxt, rule, _own(ctxt))

    def is_admin(self, ctxt: request.RequestContext) -> bool:
        """Answer whether the caller runs the cloud, all projects of it."""
        return self.may_anywhere(ctxt, "context_is_admin")

    def may_anywhere(self, ctxt: request.RequestContext, rule: str) -> bool:
        """Answer whether the caller may act on each project, by a rule."""
        return self._allows(ctxt, rule, {})

    def allows_type(
        self, ctxt: request.RequestContext, type_name: str
    ) -> bool:
        """Answer whether the caller may have resources of a type."""
        return self._refusing_rule(ctxt, type_name) is None

    def check_type(self, ctxt: request.RequestContext, type_name: str) -> None:
        """Return when the caller may have resources of a type.

        :raises orch.errors.Forbidden: a rule of the type refuses it
        """
        rule = self._refusing_rule(ctxt, type_name)
        if rule is not None:
            raise errors.Forbidden(
                "None of your roles on this project allows resources of the"
                f" type {type_name} (policy {rule})."
            )

    def _refusing_rule(
        self, ctxt: request.RequestContext, type_name: str
    ) -> str | None:
        """Return the rule that refuses a type; ``None`` where none does.

        Rules of a type are those of its older names as well. A template may
        have a thousand resources of one type: its answer is cached, too.
        """
        self._drop_old_answers()
        cached, key = self._refusals, _key(ctxt, type_name)
        if key not in cached:
            cached[key] = self._find_refusing_rule(ctxt, type_name)
        return cached[key]

    def _find_refusing_rule(
        self, ctxt: request.RequestContext, type_name: str
    ) -> str | None:
        service, _, _ = type_name.rpartition("::")
        for named in (type_name, f"{service}::{resource_types.ALL}"):
            rule = f"{resource_types.ROOT}{named}"
            if not self._allows(ctxt, rule, _own(ctxt), is_registered=False):
                return rule
        like = self._find_like(type_name) if self._find_like else ""
        return self._refusing_rule(ctxt, like) if like else None

    def _allows(
        self,
        ctxt: request.RequestContext,
        rule: str,
        target: dict[str, str | None],
        *,
        is_registered: bool = True,
    ) -> bool:
        """Answer by a rule; no answer is older than allowed.

        :param target: what the rule is about; the same one each time, for a
            caller and a rule
        :param is_registered: ``False`` for a rule that only the policy file
            may have; without it there, the answer is true
        """
        self._drop_old_answers()
        cached = self._cached
        key = _key(ctxt, rule)
        allowed = cached.get(key)
        if allowed is None:
            if is_registered:
                allowed = bool(self._enforcer.authorize(rule, target, ctxt))
            else:
                self._enforcer.load_rules()
                allowed = rule not in self._enforcer.rules or bool(
                    self._enforcer.enforce(rule, target, ctxt)
                )
            cached[key] = allowed
        return allowed

    def _drop_old_answers(self) -> None:
        now = self._clock.monotonic()
        count = len(self._cached) + len(self._refusals)
        if now >= self._cached_until or count >= _MAX_CACHED:
            self._cached, self._refusals = {}, {}
            self._cached_until = now + CACHE_TTL_S

    def _is_of_system(self, rule: str) -> bool:
        """Answer whether a rule lets in who has no project, by its roles."""
        known = self._enforcer.registered_rules[rule]
        return base.SYSTEM in (known.scope_types or ())


def no_project(ctxt: request.RequestContext) -> errors.Forbidden:
    """Return the refusal of who has logged in, and to no project."""
    scope = "no project"
    if ctxt.system_scope:
        scope = "the whole system, and for no project"
    elif ctxt.domain_id:
        scope = f"the domain {ctxt.domain_id}, and for no project"
    return errors.Forbidden(f"The token is for {scope}: log in to a project.")


def _own(ctxt: request.RequestContext) -> dict[str, str | None]:
    """Return what the caller asks about: what is the caller's."""
    target = {"user_id": ctxt.user_id}
    if ctxt.project_id is not None:
        # Without one, nothing is of the caller's project.
        target["project_id"] = ctxt.project_id
    return target


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
