"""``OS::Zaqar::SignedQueueURL``: access to a queue without a login."""

import collections.abc
import dataclasses
import datetime
import json
import typing
import urllib.parse

from orch.plugin import call_context
from orch.resources.openstack import base

_LISTS: typing.Final = ("paths", "methods")

Values = collections.abc.Mapping[str, object]


class SignedQueueURL(base.OpenStackResource):
    """A signature that gives access to a queue for a time.

    The service does not keep it, so that it can be neither read nor revoked.
    """

    has_reality = False

    def create(
        self, context: call_context.Context
    ) -> call_context.CreateResult:
        """Let the service sign; return the name, and what it has signed."""
        given = context.properties
        body: dict[str, object] = {
            name: given[name] for name in _LISTS if given.get(name)
        }
        ttl = given.get("ttl")
        if ttl is not None:
            now = datetime.datetime.fromtimestamp(
                self.clock.now(), datetime.UTC
            )
            until = now + datetime.timedelta(seconds=int(str(ttl)))
            body["expires"] = until.strftime("%Y-%m-%dT%H:%M:%S")
        calls = self.api_collection(context)
        place = calls.place(str(given["queue"]))
        signed = calls.ask("POST", f"{place}/share", body)
        return call_context.CreateResult(context.physical_name, dict(signed))

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | None:
        """Return ``None``: a lost signature is of no use."""
        return None

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return that it can be used."""
        return call_context.DONE

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return that it is fine: the service does not keep it."""
        return call_context.DONE

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Return what is given: the service does not keep it.

        Heat keeps the lists as JSON texts.
        """
        lists = {
            name: _read_list(given.data[name])
            for name in _LISTS
            if name in given.data
        }
        return dataclasses.replace(given, data={**given.data, **lists})

    def delete(self, context: call_context.Context) -> None:
        """Do nothing: it stays valid until it expires."""

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return that it is gone."""
        return call_context.DONE

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> Values:
        """Return what was signed, and the query that has all of it."""
        return {
            name: _query(context.data, context.properties["queue"])
            if name == "query_str"
            else context.data.get(name)
            for name in names
        }


def _read_list(kept: object) -> object:
    """Return a list that is kept as JSON; anything else as it is."""
    try:
        found = json.loads(kept) if isinstance(kept, str) else kept
    except ValueError:
        return kept
    return found if isinstance(found, list) else kept


def _query(signed: Values, queue: object) -> str:
    """Return the query of an address that has the signature."""
    pairs = {
        name: ",".join(map(str, value)) if isinstance(value, list) else value
        for name, value in signed.items()
    }
    query = {
        name: pairs.get(key)
        for name, key in (
            ("signature", "signature"),
            ("expires", "expires"),
            ("paths", "paths"),
            ("methods", "methods"),
            ("project_id", "project"),
        )
    }
    return urllib.parse.urlencode({**query, "queue_name": queue})
