"""Plans of a stack; no such address exists in Heat."""

from orch.api import body
from orch.api import links
from orch.api import query
from orch.api import web
from orch.api.handlers import backends
from orch.api.handlers import stack_request
from orch.api.schemas import plans as schema
from orch.api.schemas import stacks as stack_schema
from orch.api.views import facts as facts_
from orch.context import request
from orch.rpc import contract


def create(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Keep the plan of the operation that the body describes."""
    asked = body.read(req, backend.limits.max_json_body_size, schema.rule_of)
    request = _plan_request(backend, req.caller, asked)
    facts = backend.plans.create(req.caller, stack_id, request)
    stack_url = query.stack_url(req)
    return web.Answer(
        {"plan": _view(stack_url, facts)},
        status=201,
        location=f"{stack_url}/plans/{facts['id']}",
    )


def index(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """List the plans of a stack, without what they do."""
    stack_url = query.stack_url(req)
    return web.Answer(
        {
            "plans": [
                _view(stack_url, each)
                for each in backend.plans.list(req.caller, stack_id)
            ]
        }
    )


def show(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    plan_id: str,
) -> web.Answer:
    """Show a plan, change by change."""
    facts = backend.plans.show(req.caller, stack_id, plan_id)
    return web.Answer({"plan": _view(query.stack_url(req), facts)})


def delete(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    plan_id: str,
) -> None:
    """Forget a plan."""
    backend.plans.delete(req.caller, stack_id, plan_id)


def apply(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    plan_id: str,
) -> web.Answer:
    """Accept the operation of a plan and wake the workers up for it."""
    facts = backend.plans.show(req.caller, stack_id, plan_id)
    backend.rules.check(req.caller, schema.RULES[facts["request"]])
    done = backend.plans.apply(req.caller, stack_id, plan_id)
    backend.start(req.caller, done)
    operation_id = done["operation_id"]
    href = f"{query.stack_url(req)}/operations/{operation_id}"
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
    backend: backends.Backend,
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
        needs_template = not stack_schema.is_existing(asked)
        request["inputs"] = stack_request.read_inputs(
            backend, caller, asked, needs_template=needs_template
        )
    return request


def _view(stack_url: str, facts: contract.SavedPlanFacts) -> dict[str, object]:
    """Return a plan that can be run; what it does where that came."""
    href = f"{stack_url}/plans/{facts['id']}"
    view = facts_.view(facts, contract.SavedPlanFacts)
    view["links"] = [links.link("self", href), links.link("stack", stack_url)]
    return view
