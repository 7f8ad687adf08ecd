"""Plans of a stack; no such address exists in Heat."""

from orch.api import body
from orch.api import settings
from orch.api import web
from orch.api.handlers import dispatch
from orch.api.handlers import stack_request
from orch.api.schemas import plans as schema
from orch.api.schemas import stacks as stack_schema
from orch.api.views import plans as views
from orch.context import request
from orch.policies import enforcer
from orch.rpc import contract


class Plans:
    """Addresses ``/stacks/{name}/{stack_id}/plans`` and below."""

    def __init__(
        self,
        client: contract.Plans,
        reader: stack_request.StackRequestReader,
        starter: dispatch.Starter,
        rules: enforcer.Enforcer,
        limits: settings.Settings,
    ) -> None:
        self._plans = client
        self._reader = reader
        self._starter = starter
        self._rules = rules
        self._limits = limits

    def create(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """Keep the plan of the operation that the body describes."""
        asked = body.read(req, self._limits.max_json_body_size, schema.rule_of)
        request = self._plan_request(req.caller, asked)
        facts = self._plans.create(req.caller, stack_id, request)
        stack_url = _stack_url(req)
        return web.Answer(
            {"plan": views.saved_plan(stack_url, facts)},
            status=201,
            location=f"{stack_url}/plans/{facts['id']}",
        )

    def index(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """List the plans of a stack, without what they do."""
        stack_url = _stack_url(req)
        return web.Answer(
            {
                "plans": [
                    views.saved_plan(stack_url, each)
                    for each in self._plans.list(req.caller, stack_id)
                ]
            }
        )

    def show(
        self, req: web.Request, name: str, stack_id: str, plan_id: str
    ) -> web.Answer:
        """Show a plan, change by change."""
        facts = self._plans.show(req.caller, stack_id, plan_id)
        return web.Answer({"plan": views.saved_plan(_stack_url(req), facts)})

    def delete(
        self, req: web.Request, name: str, stack_id: str, plan_id: str
    ) -> web.Answer:
        """Forget a plan."""
        self._plans.delete(req.caller, stack_id, plan_id)
        return web.Answer(status=204)

    def apply(
        self, req: web.Request, name: str, stack_id: str, plan_id: str
    ) -> web.Answer:
        """Accept the operation of a plan and wake the workers up for it."""
        facts = self._plans.show(req.caller, stack_id, plan_id)
        self._rules.check(req.caller, schema.RULES[facts["request"]])
        done = self._plans.apply(req.caller, stack_id, plan_id)
        self._starter.start(req.caller, done)
        operation_id = done["operation_id"]
        href = f"{_stack_url(req)}/operations/{operation_id}"
        return web.Answer(
            {
                "operation": {
                    "id": operation_id,
                    "links": [{"href": href, "rel": "self"}],
                }
            },
            status=202,
            location=href,
        )

    def _plan_request(
        self,
        caller: request.RequestContext,
        asked: stack_schema.Body,
    ) -> contract.PlanRequest:
        action: str = asked[schema.ACTION]
        request: contract.PlanRequest = {
            "action": action,
            "options": schema.options_of(action, asked),
            **schema.snapshot_of(action, asked),
        }
        if action == "update":
            needs_template = not schema.is_existing(asked)
            request["inputs"] = self._reader.read_inputs(
                caller, asked, needs_template=needs_template
            )
        return request


def _stack_url(req: web.Request) -> str:
    """Return the address of the stack that the request's path begins with."""
    return req.base_url + req.path.partition("/plans")[0]
