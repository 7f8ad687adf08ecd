"""Which agents of Neutron serve a resource; only operators may choose."""

import dataclasses

from orch.clients import collection
from orch.clients import rest


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class AgentSchedule:
    """The requests that schedule agents for a kind of resources.

    :ivar of_resource: last part of the path that lists those of one resource
    :ivar of_agent: last part of the path that lists the resources of one
    :ivar key: names the resource in the request that adds it
    """

    of_resource: str
    of_agent: str
    key: str

    def serve(
        self,
        api_collection: collection.Collection,
        identifier: str,
        desired: object,
    ) -> None:
        """Let exactly these agents serve a resource.

        :param desired: ids; nothing for no agent
        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        found = api_collection.ask(
            "GET", f"{api_collection.place(identifier)}/{self.of_resource}"
        )
        there = {str(each["id"]) for each in found.get("agents") or []}
        chosen = set(map(str, desired)) if isinstance(desired, list) else set()
        for agent in sorted(chosen - there):
            path = f"/agents/{rest.path_segment(agent)}/{self.of_agent}"
            api_collection.ask("POST", path, {self.key: identifier})
        for agent in sorted(there - chosen):
            path = (
                f"/agents/{rest.path_segment(agent)}/{self.of_agent}"
                f"/{rest.path_segment(identifier)}"
            )
            try:
                api_collection.ask("DELETE", path)
            except rest.CloudNotFound:
                continue
