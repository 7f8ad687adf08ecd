"""A bucket of an object store that speaks HTTP and JSON."""

import collections.abc

import requests

from orch import errors
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import resource
from orch.plugin import schema

_TIMEOUT_S = 10


def _ask(method: str, url: str, **arguments: object) -> requests.Response:
    """Send a request; return the answer when it is good, or a 404."""
    try:
        answer = requests.request(method, url, timeout=_TIMEOUT_S, **arguments)
    except requests.Timeout as fault:
        raise errors.Transient(f"the store is too slow: {fault}") from fault
    except requests.RequestException as fault:
        raise errors.Outage(f"the store does not answer: {fault}") from fault
    if answer.status_code >= 400 and answer.status_code != 404:
        raise _judge(answer)
    return answer


def _judge(answer: requests.Response) -> errors.OrchError:
    """Return what the engine has to know of an answer that is not good."""
    said = f"the store says {answer.status_code}: {answer.text[:200]}"
    if answer.status_code >= 500:
        return errors.Transient(said)
    if answer.status_code == 409:
        return errors.Busy(said)
    if answer.status_code == 413:
        return errors.QuotaExceeded(said)
    return errors.Permanent(said)


class Bucket(resource.Resource):
    """A place for objects, usable once the store has spread it."""

    type_name = "Example::Store::Bucket"
    has_reality = True
    properties = (
        schema.Property(
            "store", schema.Type.STRING, "URL of the store.", required=True
        ),
        schema.Property(
            "size_limit",
            schema.Type.INTEGER,
            "The most that it holds.",
            unit="GiB",
            default=1,
            on_update=schema.OnUpdate.MODIFY,
            constraints=(schema.Range(minimum=1, maximum=1024),),
        ),
    )
    attributes = (
        schema.Attribute("url", schema.Type.STRING, "Where objects go."),
    )

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Ask for a bucket that bears our token as its label."""
        answer = _ask(
            "POST",
            f"{context.properties['store']}/buckets",
            json={
                "name": context.physical_name,
                "label": context.token,
                "size_limit": context.properties["size_limit"],
            },
        )
        if answer.status_code == 404:
            raise errors.Permanent("there is no store at this URL")
        return str(answer.json()["id"])

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer once the store says that the bucket is ready."""
        state = self._read(context)["state"]
        if state == "failed":
            raise errors.Permanent("the store could not spread the bucket")
        return (
            call_context.DONE if state == "ready" else call_context.Pending(2)
        )

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | None:
        """Look for the bucket with our label."""
        answer = _ask(
            "GET",
            f"{context.properties['store']}/buckets",
            params={"label": context.token},
        )
        found = answer.json()["buckets"]
        return str(found[0]["id"]) if found else None

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Set the limit; to set it again does no harm."""
        wanted = {name: context.properties[name] for name in changed}
        answer = _ask("PUT", self._url(context), json=wanted)
        if answer.status_code == 404:
            raise errors.Permanent("the bucket is gone")

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer once the store has spread the bucket anew."""
        return self.is_created(context)

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Look whether the bucket is there and was not lost in spreading."""
        return self.is_created(context)

    def delete(self, context: call_context.Context) -> None:
        """Remove the bucket; a 404 says that it is gone already."""
        _ask("DELETE", self._url(context))

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the bucket's URL."""
        return {"url": self._url(context)}

    def show(self, context: call_context.Context) -> object:
        """Return the bucket as the store shows it."""
        return self._read(context)

    def _url(self, context: call_context.Context) -> str:
        store = context.properties["store"]
        return f"{store}/buckets/{context.physical_id}"

    def _read(self, context: call_context.Context) -> dict[str, object]:
        answer = _ask("GET", self._url(context))
        if answer.status_code == 404:
            raise reality.Vanished("the bucket is gone")
        body: dict[str, object] = answer.json()
        return body
