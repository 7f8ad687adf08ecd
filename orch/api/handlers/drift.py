"""What was seen of stacks in the world; no such address exists in Heat."""

from orch.api import body
from orch.api import links
from orch.api import query
from orch.api import settings
from orch.api import web
from orch.api.schemas import drift as schema
from orch.api.views import facts as facts_
from orch.policies import enforcer
from orch.rpc import contract


class Drift:
    """Addresses ``/stacks/{name}/{stack_id}/drift`` and ``/drift/pause``."""

    def __init__(
        self,
        client: contract.Drift,
        rules: enforcer.Enforcer,
        limits: settings.Settings,
    ) -> None:
        self._drift = client
        self._rules = rules
        self._limits = limits

    def show(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """Show what was seen last, of the states that the query names."""
        wanted = schema.states_of(query.find_all(req, "state"))
        limit = query.page_limit(req, self._limits.page_limit)
        marker = query.find_parameter(req, "marker")
        facts = self._drift.show(
            req.caller, stack_id, wanted, limit=limit, marker=marker
        )
        shown = facts_.view(facts, contract.DriftFacts, req.base_url)
        return _page(req, {"drift": shown}, facts.get("last"))

    def history(
        self, req: web.Request, name: str, stack_id: str
    ) -> web.Answer:
        """Show what has drifted, and how it ended, the newest first."""
        facts = self._drift.history(
            req.caller,
            stack_id,
            limit=query.page_limit(req, self._limits.page_limit),
            marker=query.find_parameter(req, "marker"),
        )
        return _page(
            req, facts_.view(facts, contract.DriftHistory), facts["last"]
        )

    def show_policy(
        self, req: web.Request, name: str, stack_id: str
    ) -> web.Answer:
        """Show what is to be done about drift."""
        found = self._drift.show_policy(req.caller, stack_id)
        return web.Answer({"policy": found})

    def set_policy(
        self, req: web.Request, name: str, stack_id: str
    ) -> web.Answer:
        """Set what is to be done about drift."""
        asked = body.read(req, self._limits.max_json_body_size)
        found = self._drift.set_policy(req.caller, stack_id, asked["policy"])
        return web.Answer({"policy": found})

    def show_pause(self, req: web.Request) -> web.Answer:
        """Show whether the observer pauses for the caller's project."""
        return _pause(self._drift.show_pause(req.caller))

    def pause(self, req: web.Request) -> web.Answer:
        """Let the observer pause for the caller's project, or for all."""
        is_of_all = self._is_of_all(req)
        return _pause(self._drift.pause(req.caller, is_of_all=is_of_all))

    def resume(self, req: web.Request) -> web.Answer:
        """Let the observer go on."""
        is_of_all = self._is_of_all(req)
        return _pause(self._drift.resume(req.caller, is_of_all=is_of_all))

    def _is_of_all(self, req: web.Request) -> bool:
        """Whether a request is about all projects.

        :raises orch.errors.Forbidden: the caller may not ask that
        """
        is_of_all = query.get_boolean(req, "all_projects")
        if is_of_all:
            self._rules.check(req.caller, "drift:pause_all_projects")
        return is_of_all

    def template(
        self, req: web.Request, name: str, stack_id: str
    ) -> web.Answer:
        """Show a template in which the drift is wanted."""
        facts = self._drift.template(req.caller, stack_id)
        return web.Answer(facts_.view(facts, contract.DriftTemplate))

    def act(
        self,
        req: web.Request,
        stack_id: str,
        action: str,
        asked: web.Body,
    ) -> web.Answer:
        """Do one of the actions on a stack that are about its drift."""
        if action == schema.OBSERVE:
            facts = self._drift.observe(req.caller, stack_id)
            shown = facts_.view(facts, contract.DriftRequested)
            return web.Answer({"drift": shown}, status=202)
        if action == schema.UNDO:
            undone = self._drift.undo_accept(
                req.caller, stack_id, asked.get("resources")
            )
            return web.Answer({"undone": undone["undone"]})
        accepted = self._drift.accept(
            req.caller,
            stack_id,
            asked.get("resources"),
            asked.get("properties"),
        )
        return web.Answer({"accepted": accepted["accepted"]})


def _page(
    req: web.Request, shown: dict[str, object], last: str | None
) -> web.Answer:
    """Return a page, with a link to the next one where more may follow."""
    if last is None:
        return web.Answer(shown)
    href = f"{req.base_url}{req.path}?{query.with_marker(req, last)}"
    return web.Answer({**shown, "links": [links.link("next", href)]})


def _pause(facts: contract.DriftPause) -> web.Answer:
    return web.Answer({"pause": facts_.view(facts, contract.DriftPause)})
