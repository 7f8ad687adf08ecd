"""What tests of search over REST start from."""

import json
import typing
import urllib.parse

from tests.functional.orchclient import connecting
from tests.support import rest
from tests.support import serving
from tests.support import waiting

SOON_S: typing.Final = 60
INNER: typing.Final = """
heat_template_version: 2021-04-16
parameters:
  label: {type: string}
resources:
  deep:
    type: Test::World::Thing
    properties: {label: {get_param: label}}
"""
SHOP: typing.Final = """
heat_template_version: 2021-04-16
description: a shop of marigolds
parameters:
  size: {type: string, default: enormous}
  key: {type: string, hidden: true, default: canaryparameter}
resources:
  front: {type: inner.yaml, properties: {label: lilac}}
  web: {type: Test::World::Thing, properties: {label: tulip}}
  short: {type: OS::Heat::RandomString, properties: {length: 8}}
  long: {type: OS::Heat::RandomString, properties: {length: 24}}
  kept: {type: OS::Heat::Value, properties: {value: {get_param: key}}}
outputs:
  address: {value: "https://orchid.example/"}
  sealed: {value: {get_param: key}}
"""
FAILING: typing.Final = """
heat_template_version: 2021-04-16
resources:
  bad: {type: OS::Heat::TestResource, properties: {fail: true}}
"""
PARTS: typing.Final = (
    *("shop", "shop/front", "shop/front", "shop/front/deep"),
    *("shop/kept", "shop/long", "shop/short", "shop/web"),
)
"""Paths of all that the shop has: the stack in it is its resource, too."""

Json = dict[str, typing.Any]


def query_string(q: str, **more: object) -> str:
    """Return a query string; lists are repeated."""
    given = {name: each for name, each in more.items() if each is not None}
    return urllib.parse.urlencode({"q": q, **given}, doseq=True)


def search(client: rest.Client, q: str, **more: object) -> Json:
    """Return the answer to a search."""
    answer = client.ask("GET", f"/search?{query_string(q, **more)}")
    return typing.cast(Json, answer)


def paths(found: Json) -> list[str]:
    """Return the paths of all hits, sorted."""
    return sorted(each["path"] for each in found["hits"])


def wait_for_paths(
    client: rest.Client, q: str, expected: typing.Iterable[str]
) -> None:
    """Return once a search finds just that."""
    wanted = sorted(expected)
    seen: list[list[str]] = [[]]

    def is_found() -> bool:
        seen[0] = paths(search(client, q, limit=100))
        return seen[0] == wanted

    try:
        waiting.wait_for(is_found, f"{wanted} by {q}", SOON_S)
    except AssertionError as error:
        raise AssertionError(f"{error}; found {seen[0]}") from None


def deploy_shop(client: rest.Client) -> rest.Stack:
    """Return the shop once it is complete and can be found."""
    stack = client.create("shop", SHOP, files={"inner.yaml": INNER})
    client.wait(stack, "CREATE_COMPLETE")
    wait_for_paths(client, "path:shop* status:CREATE_COMPLETE", PARTS)
    return stack


class SearchTestCase(serving.WorldTestCase):
    """A server with a shop, which nobody changes."""

    limit_s = 240
    stack: rest.Stack

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.deploy()

    @classmethod
    def deploy(cls) -> None:
        """Make what is searched for; return once it is found."""
        cls.stack = deploy_shop(cls.client)

    def search(self, q: str, **more: object) -> Json:
        """Return the answer to a search of an administrator."""
        return search(self.client, q, **more)

    def found(self, q: str, **more: object) -> list[str]:
        """Return the paths that it finds, sorted."""
        return paths(self.search(q, limit=100, **more))

    def client_of(self, roles: str, project: str | None = None) -> rest.Client:
        """Return a client with these roles, in this project or another."""
        where = self.system.endpoint
        if project is not None:
            where = f"{where.rpartition('/')[0]}/{project}"
        client = rest.Client(where, roles=roles)
        self.addCleanup(client.close)
        return client

    def refused(  # type: ignore[override]
        self, client: rest.Client, path: str, body: Json | None = None
    ) -> rest.RefusedError:
        """Return how a request is refused, a POST where it has a body."""
        method = "GET" if body is None else "POST"
        return self.assertRaises(
            rest.RefusedError, client.ask, method, path, body
        )


class ClientSearchTestCase(SearchTestCase, connecting.ClientTestCase):
    """The same for the library and the commands."""


def text_of(answer: object) -> str:
    """Return an answer as the text that it came as."""
    return json.dumps(answer)
