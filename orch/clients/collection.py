"""The usual requests to one collection of a service.

``GET`` and ``POST`` on the collection, ``GET``, ``PUT`` or ``PATCH`` and
``DELETE`` on one member of it; lists come in pages.
"""

import collections.abc
import contextlib
import dataclasses
import typing
import urllib.parse

from orch.clients import rest

if typing.TYPE_CHECKING:
    import requests
    from keystoneauth1 import adapter

Body = dict[str, typing.Any]

_PAGE: typing.Final = 1000
_MAX_PAGES: typing.Final = 1000


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """One collection of a service.

    :ivar service: see :func:`orch.clients.rest.service_of`
    :ivar path: of the collection, below the service
    :ivar key: around one member in requests and answers; empty for none
    :ivar plural: around the list of an answer; empty for nothing
    :ivar list_path: answers complete members; ``path`` where it is empty
    :ivar microversion: asked for in each request
    :ivar id_key: key of a member's id in an answer
    :ivar is_bare: requests have nothing around a member, though answers do
    :ivar is_paged: lists take a ``limit``
    :ivar headers: of each request
    :ivar is_secret: requests have secrets, so that nothing of them is logged
    """

    service: "adapter.Adapter"
    path: str
    key: str
    plural: str
    list_path: str = ""
    microversion: str | None = None
    id_key: str = "id"
    is_bare: bool = False
    is_paged: bool = True
    headers: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    is_secret: bool = False

    def make(
        self,
        body: collections.abc.Mapping[str, object],
        params: rest.Params | None = None,
    ) -> Body:
        """Make a resource; return it as the service shows it.

        :param params: the query
        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        return self._one(
            self.ask("POST", self.path, self._wrapped(body), params)
        )

    def get(self, identifier: str) -> Body:
        """Return a resource.

        :raises orch.clients.rest.CloudNotFound: there is none
        """
        return self._one(self.ask("GET", self.place(identifier)))

    def change(
        self,
        identifier: str,
        body: collections.abc.Mapping[str, object],
        method: str = "PUT",
    ) -> None:
        """Change a resource.

        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        self.ask(method, self.place(identifier), self._wrapped(body))

    def patch(
        self,
        identifier: str,
        patch: collections.abc.Sequence[object],
        media_type: str,
    ) -> None:
        """Change a resource by a JSON patch (RFC 6902).

        :param media_type: of the patch
        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        self._send(
            "PATCH",
            self.place(identifier),
            json=list(patch),
            headers={**self.headers, "Content-Type": media_type},
        )

    def remove(
        self, identifier: str, params: rest.Params | None = None
    ) -> None:
        """Remove a resource.

        :param params: the query
        :raises orch.clients.rest.CloudNotFound: there is none
        :raises orch.errors.Busy: something else needs it still
        """
        self.ask("DELETE", self.place(identifier), None, params)

    def discard(self, path: str) -> None:
        """Remove what is at a path below the service; gone is success.

        :raises orch.errors.Busy: something else needs it still
        """
        with contextlib.suppress(rest.CloudNotFound):
            self.ask("DELETE", path)

    def listed(self, filters: rest.Params) -> collections.abc.Iterator[Body]:
        """Yield all resources that the filters let through, a request a page.

        The next page has the query of ``next`` in the answer, or else the last
        id as its marker.

        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        params: dict[str, str | list[str]] = dict(filters)
        if self.is_paged:
            params["limit"] = str(_PAGE)
        seen: set[str] = set()
        for _ in range(_MAX_PAGES):
            found = self._list_page(params)
            page = found.get(self.plural)
            bodies = map(self._bare, page if isinstance(page, list) else ())
            found_bodies = [(self._id(each), each) for each in bodies]
            fresh = [each for each in found_bodies if each[0] not in seen]
            yield from (body for _, body in fresh)
            seen.update(identifier for identifier, _ in fresh)
            if not fresh or not self._goes_on(found, len(found_bodies)):
                return
            following = found.get("next")
            if isinstance(following, str):
                query = urllib.parse.urlsplit(following).query
                params.update(urllib.parse.parse_qs(query))
            else:
                params["marker"] = found_bodies[-1][0]

    def _list_page(self, params: rest.Params) -> Body:
        path = self.list_path or self.path
        if self.plural:
            return self.ask("GET", path, None, params)
        answer = self._send("GET", path, params=params)
        return {self.plural: answer.json()}

    def _id(self, body: Body) -> str:
        return str(body[self.id_key])

    def _bare(self, listed: Body) -> Body:
        """Return one of a list: some services wrap each as they wrap one."""
        wrapped = listed.get(self.key) if len(listed) == 1 else None
        return wrapped if isinstance(wrapped, dict) else listed

    def _goes_on(self, found: Body, count: int) -> bool:
        """Whether there may be another page.

        A service may give fewer things a page than it is asked for, and then
        says that there are more.
        """
        for name in (f"{self.plural}_links", "links"):
            links = found.get(name)
            if isinstance(links, list):
                return any(each.get("rel") == "next" for each in links)
            if isinstance(links, dict) and "next" in links:
                return links["next"] is not None
        return bool(found.get("next")) or (self.is_paged and count >= _PAGE)

    def place(self, identifier: str) -> str:
        """Return the path of a resource.

        :raises orch.clients.rest.NoPath: there can be none
        """
        return f"{self.path}/{rest.path_segment(identifier)}"

    def ask(
        self,
        method: str,
        path: str,
        body: collections.abc.Mapping[str, object] | None = None,
        params: rest.Params | None = None,
    ) -> Body:
        """Send any request of the service; return its body, empty for none.

        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        answer = self._send(method, path, json=body, params=params)
        return rest.read_body(answer) if answer.content else {}

    def _send(
        self,
        method: str,
        path: str,
        *,
        json: object = None,
        params: rest.Params | None = None,
        headers: collections.abc.Mapping[str, str] | None = None,
    ) -> "requests.Response":
        return rest.send_request(
            self.service,
            method,
            path,
            json=json,
            params=params,
            microversion=self.microversion,
            headers=self.headers if headers is None else headers,
            is_secret=self.is_secret,
        )

    def _wrapped(
        self, body: collections.abc.Mapping[str, object]
    ) -> dict[str, object]:
        is_wrapped = self.key and not self.is_bare
        return {self.key: dict(body)} if is_wrapped else dict(body)

    def _one(self, found: Body) -> Body:
        wrapped = found.get(self.key) if self.key else found
        if not isinstance(wrapped, dict):
            raise rest.CloudRefused(
                f"{self.service.service_type}{self.path} answered without"
                f" {self.key}; is it the right service?"
            )
        return wrapped
