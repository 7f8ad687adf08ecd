"""Which stack a body is of, by its links."""

import dataclasses
import re
import urllib.parse

from orchclient import errors
from orchclient import response_parser

Json = response_parser.Json

_STACK_URL = re.compile(
    r"(?:.*/)?v1/(?P<project>[^/]+)/stacks/(?P<name>[^/?]+)/(?P<id>[^/?]+)"
)


@dataclasses.dataclass(frozen=True, slots=True)
class StackIdentity:
    """Name, id and project of a stack.

    :ivar project_id: empty when unknown
    """

    name: str
    id: str
    project_id: str = ""

    @classmethod
    def of_url(cls, url: str) -> "StackIdentity":
        """Return the stack of an address, or of one below it.

        :raises orchclient.errors.AnswerError: it is of no stack
        """
        found = _STACK_URL.match(url)
        if found is None:
            raise errors.AnswerError(f"{url[:200]!r} is no stack's address.")
        parts = (found["name"], found["id"], found["project"])
        return cls(*(urllib.parse.unquote(each) for each in parts))

    @property
    def path(self) -> str:
        """Return its path below the project."""
        name, stack_id = map(urllib.parse.quote, (self.name, self.id))
        return f"/stacks/{name}/{stack_id}"

    def __str__(self) -> str:
        return f"{self.name} ({self.id})"


def find_link(body: Json, relation: str) -> str | None:
    """Return the address of the link that has a relation."""
    for link in response_parser.get_maps(body, "links"):
        if link.get("rel") == relation:
            return response_parser.required_text(link, "href")
    return None


def get_stack(body: Json, relation: str = "stack") -> StackIdentity:
    """Return the stack that a link of a body leads to.

    :raises orchclient.errors.AnswerError: there is no such link
    """
    href = find_link(body, relation)
    if href is None:
        raise errors.AnswerError(f"The link {relation} is missing.")
    return StackIdentity.of_url(href)
