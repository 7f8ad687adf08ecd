"""Requests of one project that name all that another one has."""

import collections.abc
import itertools
import json
import re
import typing
import urllib.parse

import requests

from tests.functional import two_projects
from tests.support import waiting

Json = two_projects.Json
Asked = tuple[str, str, Json]

_DEPTH = 4
_NEW = "made"
EMPTY: typing.Final[Json] = {"heat_template_version": "2021-04-16"}
_BODIES: typing.Final[dict[str, Json]] = {
    "stack_name": {"stack_name": _NEW},
    "template": {"template": EMPTY},
    "config_id": {"config_id": "{config_id}"},
    "server_id": {"server_id": "{server_id}"},
    "target": {"target": "{target}"},
    "resources": {"resources": ["{resource}"]},
    "policy": {"policy": {}},
}
"""What makes a body a good one, by a key that its schema has."""


class ApartTestCase(two_projects.TwoProjectsTestCase):
    """The right project offers all that the left one has.

    :ivar asked: how many requests were sent
    """

    def setUp(self) -> None:
        super().setUp()
        self.base = self.system.endpoint.rpartition("/v1/")[0]
        document = requests.get(f"{self.base}/openapi.json", timeout=30)
        self.document = document.json()
        self.before = self.rows()
        self.stored: set[str] = set()
        self.asked = 0
        self.turns = itertools.cycle(self.names)

    def operations(self, *methods: str) -> list[Asked]:
        """Return method, path and description of the addresses."""
        return [
            (method, path, found[method])
            for path, found in self.document["paths"].items()
            for method in methods
            if method in found
        ]

    def offers(
        self, path: str, described: Json, is_thorough: bool
    ) -> collections.abc.Iterator[Json]:
        """Yield parameters of requests, by place and name."""
        known = [
            (each["in"], each["name"])
            for each in described.get("parameters", [])
        ]
        theirs = {
            pair: self.theirs[pair[1]]
            for pair in known
            if pair[0] == "path"
            and pair[1] in self.theirs
            and pair[1] != "project"
        }
        yield theirs
        yield {
            **theirs,
            ("path", "stack_id"): self.theirs["gone_id"],
            ("path", "name"): self.theirs["gone_name"],
        }
        for pair in known:
            yield {pair: self.theirs.get(pair[1], self.next_mark())}
            if not is_thorough:
                continue
            for mark in self.some_marks(pair[0] == "path"):
                yield {pair: mark}

    def next_mark(self) -> str:
        """Return a name or an id; each has its turn at some places."""
        return next(self.turns)

    def some_marks(self, is_all: bool) -> list[str]:
        """Return marks to offer: each gets its turn at some parameter."""
        count = 4 if is_all else 2
        return [self.next_mark() for _ in range(count)]

    def good_body(self, described: Json) -> Json | None:
        """Return a body that the right project may send."""
        schema = self.schema_of(described)
        if schema is None:
            return None
        names = {path[0] for path in self.leaves(schema) if path}
        found: Json = {}
        for key, part in _BODIES.items():
            if key in names:
                found |= part
        return _filled(found, self.own)

    def found(self, path: str) -> Json:
        """Return parameters without which an address shows nothing."""
        if path.endswith("/search/diff"):
            return {("query", "as_of"): "2026-01-01T00:00:00Z"}
        if "/abandon" not in path:
            return {}
        return {
            ("path", "stack_id"): self.own["gone_id"],
            ("path", "name"): self.own["gone_name"],
        }

    def schema_of(self, described: Json) -> Json | None:
        content = described.get("requestBody", {}).get("content", {})
        found: Json | None = content.get("application/json", {}).get("schema")
        return found

    def bodies(
        self, described: Json, good: Json | None, is_thorough: bool
    ) -> collections.abc.Iterator[Json]:
        """Yield bodies with marks in them, one or all at a time.

        :param is_thorough: offer names and ids too where a place has a
            value of its own
        """
        schema = self.schema_of(described)
        if schema is None or good is None:
            return
        paths = sorted(set(self.leaves(schema)))
        every: Json = {}
        for path in paths:
            known = self.theirs.get(path[-1]) or self.next_mark()
            _put(every, path, known)
            others = self.some_marks(False) if is_thorough else []
            for mark in (known, *others):
                body = json.loads(json.dumps(good))
                _put(body, path, mark)
                yield body
        yield every
        for key, value in good.items():
            yield {**every, **good, key: every.get(key, value)}
            yield {**every, key: value}

    def leaves(
        self, schema: Json, path: tuple[str, ...] = ()
    ) -> collections.abc.Iterator[tuple[str, ...]]:
        """Yield the places of a body that may have a text."""
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            schema = self.document["components"]["schemas"][name]
        if len(path) > _DEPTH:
            return
        for kind in ("anyOf", "oneOf", "allOf"):
            for each in schema.get(kind, ()):
                yield from self.leaves(each, path)
        for name, each in schema.get("properties", {}).items():
            yield from self.leaves(each, (*path, name))
        if isinstance(schema.get("items"), dict):
            yield from self.leaves(schema["items"], (*path, "[]"))
        if path and not schema.keys() & {"properties", "items", "anyOf"}:
            yield path

    def ask(
        self,
        session: requests.Session,
        method: str,
        path: str,
        offered: Json,
        body: Json | None = None,
    ) -> int:
        """Send a request; check that the answer tells nothing.

        :returns: the status of the answer
        """
        given: dict[str, Json] = {"path": {}, "query": {}, "header": {}}
        for (place, name), value in offered.items():
            given[place][name] = value
        values = {**self.own, **given["path"]}
        filled = re.sub(
            r"{(\w+)}",
            lambda found: urllib.parse.quote(
                values.get(found[1], "none"), safe=""
            ),
            path,
        )
        answer = session.request(
            method,
            self.base + filled,
            params=given["query"],
            headers=_headers(given["header"]),
            json=_renamed(body, self.asked),
            allow_redirects=False,
            timeout=60,
        )
        self.asked += 1
        asked = (method, filled, given["query"], given["header"], body)
        self.assertLess(answer.status_code, 500, (asked, answer.text))
        told = {
            *offered.values(),
            *two_projects.texts(body),
        }
        if method != "get" and answer.status_code < 400:
            self.stored |= told
            self.settle(session)
        said = answer.text + urllib.parse.unquote(str(answer.headers))
        for found in (mark for mark in self.marks if mark in said):
            is_told = any(found in each for each in told)
            if not is_told and not self.is_stored(found):
                self.fail(f"{found} in the answer to {asked}: {said[:2000]}")
        return answer.status_code

    def is_stored(self, mark: str) -> bool:
        """Whether the right project was told a mark, and has it now."""
        if not any(mark in each for each in self.stored):
            return False
        held = two_projects.texts_of(self.rows(), two_projects.RIGHT)
        return any(mark in each for each in held)

    def settle(self, session: requests.Session) -> None:
        """Return once no operation of the own stack is running."""
        path = "/v1/{project}/stacks/{name}/{stack_id}".format(**self.own)

        def is_idle() -> bool:
            answer = session.get(self.base + path, timeout=60)
            return "IN_PROGRESS" not in answer.text

        waiting.wait_for(is_idle, "the own stack to rest")

    def shown(self) -> Json:
        """Return what the left project is shown of what it has."""
        session = self.session_of("ann")
        found = {}
        for _, path, _ in self.operations("get"):
            names = re.findall(r"{(\w+)}", path)
            if not path.startswith("/v1/{project}") or "/search" in path:
                continue
            if not set(names) <= set(self.theirs) or path.endswith("services"):
                continue
            filled = path.format(**self.theirs)
            answer = session.get(self.base + filled, timeout=60)
            self.assertLess(answer.status_code, 500, filled)
            found[path] = re.sub(r"req-[0-9a-f-]+", "", answer.text)
        return found


def _headers(given: dict[str, str]) -> dict[str, str]:
    return {
        name: value.encode("ascii", "replace").decode().replace("\n", " ")
        for name, value in given.items()
    }


def _renamed(body: Json | None, number: int) -> Json | None:
    """Return a body whose new stack has a name of its own."""
    if body is None or body.get("stack_name") != _NEW:
        return body
    return {**body, "stack_name": f"{_NEW}{number}"}


def _filled(value: typing.Any, values: dict[str, str]) -> typing.Any:
    """Return a body with the values for its names in braces."""
    if isinstance(value, dict):
        return {name: _filled(each, values) for name, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, values) for each in value]
    if isinstance(value, str) and value.startswith("{"):
        return values[value.strip("{}")]
    return value


def _put(body: Json, path: tuple[str, ...], value: object) -> None:
    """Set one place of a body."""
    name, rest = path[0], path[1:]
    if not rest:
        body[name] = value
    elif rest == ("[]",):
        body[name] = [value]
    elif rest[0] == "[]":
        inner: Json = {}
        _put(inner, rest[1:], value)
        body[name] = [inner]
    else:
        if not isinstance(body.get(name), dict):
            body[name] = {}
        _put(body[name], rest, value)
