"""A stack's life: list, preview, create, show, delete."""

from orch import errors
from orch.api import links
from orch.api import query
from orch.api import settings
from orch.api import web
from orch.api.handlers import accepted
from orch.api.handlers import filters
from orch.api.handlers import identity
from orch.api.handlers import inputs
from orch.api.schemas import stacks as schema
from orch.api.views import stacks as views
from orch.policies import enforcer
from orch.rpc import contract
from orch.rpc.clients import stacks


class Stacks:
    """Addresses ``/stacks`` and ``/stacks/{name}/{stack_id}``."""

    def __init__(
        self,
        client: stacks.Stacks,
        reader: inputs.Reader,
        starter: accepted.Starter,
        rules: enforcer.Enforcer,
        limits: settings.Settings,
    ) -> None:
        self._stacks = client
        self._reader = reader
        self._starter = starter
        self._rules = rules
        self._limits = limits

    def index(self, req: web.Request) -> web.Answer:
        """List the stacks that the query string asks for."""
        asked = filters.stack_query(req, self._limits.page_limit)
        if asked["all_projects"]:
            self._rules.check(req.caller, "stacks:global_index")
        body = self._page(req, asked)
        if query.boolean(req, "with_count"):
            body["count"] = self._stacks.count(req.caller, asked)
        return web.Answer(body)

    def _page(
        self, req: web.Request, asked: contract.StackQuery
    ) -> dict[str, object]:
        found = self._stacks.list(req.caller, asked)
        with_project = bool(req.caller.is_admin)
        body: dict[str, object] = {
            "stacks": [
                views.summary(req.base_url, one, with_project=with_project)
                for one in found
            ]
        }
        if found and len(found) == asked["limit"]:
            rest = query.with_marker(req, found[-1]["id"])
            href = f"{req.base_url}{req.path}?{rest}"
            body["links"] = [links.link("next", href)]
        return body

    def create(self, req: web.Request) -> web.Answer:
        """Accept a new stack and wake the workers up for it."""
        wish = self._reader.read(req)
        name = schema.name_of(wish.body)
        if "converge" in wish.body:
            raise errors.Invalid("converge is for updates only.")
        options = schema.options_of(wish.body)
        done = self._stacks.create(req.caller, name, wish.inputs, options)
        self._starter.start(req.caller, done)
        made = done["identity"]
        return web.Answer(
            {"stack": views.created(req.base_url, made)},
            status=201,
            location=links.stack(req.base_url, made),
        )

    def preview(self, req: web.Request) -> web.Answer:
        """Show the stack that the same create would make."""
        wish = self._reader.read(req)
        facts = self._stacks.preview(
            req.caller,
            schema.name_of(wish.body),
            wish.inputs,
            schema.options_of(wish.body),
        )
        return web.Answer({"stack": views.preview(req.base_url, facts)})

    def show(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """Show a stack, its outputs too unless told not to."""
        resolve = query.boolean(req, "resolve_outputs", default=True)
        facts = self._stacks.show(req.caller, stack_id, resolve)
        identity.check_name(facts["name"], name, stack_id)
        return web.Answer({"stack": views.full(req.base_url, facts)})

    def delete(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """Accept the end of a stack and wake the workers up for it."""
        found = self._stacks.identify(req.caller, stack_id)
        identity.check_name(found["stack_name"], name, stack_id)
        done = self._stacks.delete(req.caller, found["stack_id"])
        if done is not None:
            self._starter.start(req.caller, done)
        return web.Answer(status=204)
