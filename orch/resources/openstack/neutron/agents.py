"""Which agents of Neutron serve a thing; only operators may say so."""

import dataclasses

from orch.clients import collection
from orch.clients import rest


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Agents:
    """How the agents of a kind of things are told.

    :ivar of_thing: last part of the path that lists those of one thing
    :ivar of_agent: last part of the path that lists the things of one
    :ivar key: names the thing in the request that adds it
    """

    of_thing: str
    of_agent: str
    key: str

    def serve(
        self, things: collection.Collection, identifier: str, wanted: object
    ) -> None:
        """Let exactly these agents serve a thing.

        :param wanted: ids; nothing for no agent
        :raises orch.errors.OrchError: see :func:`orch.clients.rest.ask`
        """
        found = things.ask(
            "GET", f"{things.place(identifier)}/{self.of_thing}"
        )
        there = {str(each["id"]) for each in found.get("agents") or []}
        chosen = set(map(str, wanted)) if isinstance(wanted, list) else set()
        for agent in sorted(chosen - there):
            path = f"/agents/{rest.segment(agent)}/{self.of_agent}"
            things.ask("POST", path, {self.key: identifier})
        for agent in sorted(there - chosen):
            path = (
                f"/agents/{rest.segment(agent)}/{self.of_agent}"
                f"/{rest.segment(identifier)}"
            )
            try:
                things.ask("DELETE", path)
            except rest.NotThere:
                continue
