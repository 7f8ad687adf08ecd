"""Answers of the API against its own OpenAPI document."""

import collections.abc
import json
import re
import urllib.parse

import jsonschema
import requests

Json = dict[str, object]

_LINES = "application/x-ndjson"


class Document:
    """An OpenAPI document that answers are held against.

    Only what this one makes use of is understood.
    """

    def __init__(self, document: Json) -> None:
        self._document = document
        paths = document["paths"]
        # Fewer parameters first: ``/stacks/detail`` before ``/stacks/{name}``.
        self._paths = [
            (re.compile(_pattern(path)), path)
            for path in sorted(paths, key=lambda each: each.count("{"))
        ]

    def knows(self, method: str, path: str) -> bool:
        """Answer whether the address is described."""
        return self._operation(method, path) is not None

    def check(
        self,
        method: str,
        path: str,
        status: int,
        media_type: str,
        body: object,
    ) -> None:
        """Return if the document says that this may be answered.

        :param path: without a query string
        :param media_type: with or without parameters
        :param body: as :func:`parse_body` returns it
        :raises AssertionError: it does not; the text says what differs
        """
        where = f"{method} {path} -> {status}"
        operation = self._operation(method, path)
        assert operation is not None, f"{where}: the address is not described"
        found = self._resolve(operation["responses"].get(str(status)))
        assert found is not None, f"{where}: the status is not described"
        content = found.get("content")
        if content is None:
            assert body in (None, b""), f"{where}: a body nobody described"
            return
        kind = media_type.partition(";")[0].strip()
        assert kind in content, f"{where}: {kind} is not described"
        if not kind.endswith("json"):
            return
        schema = {
            **content[kind]["schema"],
            "components": self._document["components"],
        }
        lines = body if kind == _LINES else [body]
        assert isinstance(lines, list)
        misfits = [
            misfit
            for line in lines
            for misfit in jsonschema.Draft202012Validator(schema).iter_errors(
                line
            )
        ]
        assert not misfits, f"{where}: {misfits[0].message[:500]}" + str(
            list(misfits[0].absolute_path)
        )

    def check_response(self, answer: requests.Response) -> None:
        """Check what ``requests`` got; it may be a hook of a session."""
        method = str(answer.request.method)
        path = urllib.parse.urlsplit(str(answer.request.url)).path
        kind = answer.headers.get("Content-Type", "")
        body = parse_body(kind, answer.content)
        self.check(method, path, answer.status_code, kind, body)

    def _operation(self, method: str, path: str) -> Json | None:
        for pattern, known in self._paths:
            found = self._document["paths"][known].get(method.lower())
            if found is not None and pattern.fullmatch(path):
                return found
        return None

    def _resolve(self, response: Json | None) -> Json | None:
        if response is None or "$ref" not in response:
            return response
        name = str(response["$ref"]).rpartition("/")[2]
        return self._document["components"]["responses"][name]


def parse_body(media_type: str, content: bytes) -> object:
    """Return a body, parsed where it is JSON: a list for lines of it."""
    if not content or "json" not in media_type:
        return content
    if media_type.startswith(_LINES):
        return [json.loads(line) for line in content.splitlines()]
    return json.loads(content)


def _pattern(path: str) -> str:
    parts: collections.abc.Iterable[str] = re.split(r"({\w+})", path)
    return "".join(
        ("(?s:.+)" if part == "{arn}" else "[^/]+")
        if part.startswith("{")
        else re.escape(part)
        for part in parts
    )


def fetch(endpoint: str) -> Document:
    """Return the document of a running server.

    :param endpoint: with the version and the project
    """
    base = endpoint.rpartition("/v1/")[0]
    answer = requests.get(f"{base}/openapi.json", timeout=30)
    answer.raise_for_status()
    return Document(answer.json())
