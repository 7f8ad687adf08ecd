"""A small cloud in this process: collections of things, by their REST.

It keeps what is sent, so that a test sees what a service would have.
"""

import collections.abc
import dataclasses
import json
import typing
import urllib.parse
import uuid

from orch.flow.tasks import base as tasks
from orch.flow.tasks import create
from orch.plugin import call_context
from orch.plugin import clouds
from orch.plugin import resource
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.heat import installations
from tests.unit.resources.http import service

Body = dict[str, typing.Any]
Answer = tuple[int, object]


@dataclasses.dataclass
class Collection:
    """A collection: what is around one thing and around a list of them.

    :ivar key: around one; empty for nothing
    """

    key: str
    plural: str
    rows: dict[str, Body] = dataclasses.field(default_factory=dict)
    defaults: Body = dataclasses.field(default_factory=dict)

    def wrap(self, body: Body) -> Body:
        """Return the answer about one thing."""
        return {self.key: body} if self.key else body

    def unwrap(self, body: Body) -> Body:
        """Return what a request says of one thing."""
        return dict(body[self.key]) if self.key else body


class Cloud(service.Service):
    """Keeps things by path of their collection.

    :ivar collections: collections by path
    :ivar refusals: (method, path) to answers that come first; each once
    :ivar page: how many things a list has at most
    """

    def __init__(self, **kept: Collection) -> None:
        super().__init__()
        self.collections = {
            f"/{path.replace('__', '/').replace('_', '-')}": each
            for path, each in kept.items()
        }
        self.refusals: dict[tuple[str, str], list[Answer]] = {}
        self.page = 1000

    def add(self, path: str, **body: object) -> str:
        """Keep a thing; return its id."""
        kept = self.collections[path]
        identifier = str(body.pop("id", None) or uuid.uuid4())
        kept.rows[identifier] = {**kept.defaults, **body, "id": identifier}
        return identifier

    def refuse(
        self, method: str, path: str, status: int, content: object = None
    ) -> None:
        """Let the next request of that kind fail."""
        answer = status, content or {"NeutronError": {"message": "refused"}}
        self.refusals.setdefault((method, path), []).append(answer)

    def find_requests(self, *methods: str) -> list[str]:
        """Return the requests of these methods, without their queries."""
        return [
            f"{each.method} {each.path.partition('?')[0]}"
            for each in self.requests
            if each.method in methods
        ]

    def find_answer(self, method: str, path: str, body: object) -> Answer:
        path, _, query = path.partition("?")
        refused = self.refusals.get((method, path))
        if refused:
            return refused.pop(0)
        if (method, path) in self.answers:
            return self.answers[method, path]
        if path in self.collections:
            if method == "POST":
                return self._make(self.collections[path], body)
            return self._list(
                self.collections[path], urllib.parse.parse_qs(query)
            )
        place, _, identifier = path.rpartition("/")
        kept = self.collections.get(place)
        if kept is None or identifier not in kept.rows:
            return 404, {"NeutronError": {"message": f"no {path}"}}
        return self._one(kept, identifier, method, body)

    def _make(self, kept: Collection, body: typing.Any) -> Answer:
        identifier = str(uuid.uuid4())
        made = {**kept.defaults, **kept.unwrap(body), "id": identifier}
        kept.rows[identifier] = made
        return 201, kept.wrap(made)

    def _one(
        self, kept: Collection, identifier: str, method: str, body: typing.Any
    ) -> Answer:
        if method == "DELETE":
            del kept.rows[identifier]
            return 204, None
        if method in ("PUT", "PATCH"):
            kept.rows[identifier].update(kept.unwrap(body))
        return 200, kept.wrap(kept.rows[identifier])

    def _list(
        self,
        kept: Collection,
        query: collections.abc.Mapping[str, list[str]],
    ) -> Answer:
        asked = {
            name: values
            for name, values in query.items()
            if name not in ("limit", "marker")
        }
        found = [
            each
            for each in kept.rows.values()
            if all(
                str(each.get(name)) in values for name, values in asked.items()
            )
        ]
        ids = [each["id"] for each in found]
        start = ids.index(query["marker"][0]) + 1 if "marker" in query else 0
        page = found[start : start + self.page]
        links = (
            [{"rel": "next", "href": "there"}]
            if found[start:][self.page :]
            else []
        )
        return 200, {kept.plural: page, f"{kept.plural}_links": links}


class CloudTestCase(base.TestCase):
    """Tests of a type against a small cloud.

    :cvar kind: the type
    """

    kind: typing.ClassVar[type[resource.Resource]]

    def use(self, cloud: Cloud) -> None:
        """Let the type work on a cloud."""
        self.cloud = self.useFixture(cloud)
        self.clock = contexts.FakeClock()
        self.login = self.useFixture(installations.Cloud(self.cloud.url))
        self.use_kind(self.kind)

    def use_kind(self, kind: type[resource.Resource]) -> None:
        """Let another type work on the same cloud."""
        self.kind = kind  # type: ignore[misc]
        self.plugin = kind(contexts.options(), self.clock)
        assert isinstance(self.plugin, clouds.CloudResource)
        self.plugin.use_clouds(typing.cast("clouds.Clouds", self.login))

    def context(self, **given: typing.Any) -> call_context.Context:
        """Return the context of a resource with these properties."""
        return contexts.make(self.kind, **given)

    def made(self, **given: typing.Any) -> call_context.Context:
        """Return the context of a resource that is made."""
        context = self.context(**given)
        context = self.with_id(context, self.plugin.create(context))
        self.assertIsNone(self.plugin.is_created(context))
        self.cloud.requests.clear()
        return context

    @staticmethod
    def with_id(
        context: call_context.Context, answer: object
    ) -> call_context.Context:
        """Return the context of what a creation has made."""
        made = tasks.check_created(answer, "create")
        return dataclasses.replace(
            context, physical_id=made.physical_id, data=made.data
        )

    def find_lost(
        self, context: call_context.Context
    ) -> call_context.CreateResult | None:
        """Return what a creation without an answer has left."""
        lost = dataclasses.replace(context, physical_id=None)
        return create.find_physical_resource(
            self.plugin, lost, is_outcome_unknown=True
        )

    def changed(
        self, context: call_context.Context, **properties: object
    ) -> call_context.Context:
        """Change properties in place; return the context afterwards."""
        after = dataclasses.replace(
            context, properties={**context.properties, **properties}
        )
        self.cloud.requests.clear()
        after = self.start_update(context, after, properties)
        self.assertIsNone(self.plugin.is_updated(after))
        return after

    def start_update(
        self,
        before: call_context.Context,
        after: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> call_context.Context:
        """Begin to change properties; return the context afterwards."""
        updated = self.plugin.update(after, before.properties, tuple(names))
        if updated is None:
            return after
        return dataclasses.replace(
            after, physical_id=updated.physical_id, data=updated.data
        )

    def differing(
        self, context: call_context.Context, baseline: collections.abc.Mapping
    ) -> list[str]:
        """Return the properties that are not as a baseline has them."""
        live = self.plugin.get_reality(context)
        assert live is not None
        return sorted(
            name
            for name in live
            if _text(self.plugin.normalise(name, live[name]))
            != _text(self.plugin.normalise(name, baseline.get(name)))
        )


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)
