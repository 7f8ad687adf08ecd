"""What tests of the documents for a search start from."""

import typing

from orch import ids
from orch.context import request
from orch.engine import dependencies
from orch.engine import endpoints
from orch.model import states
from orch.rpc import contract
from orch.rpc import proxy
from tests.functional.rpc import worker

Json = dict[str, typing.Any]

SERVICE = request.RequestContext(user_name="orch-search")
"""Who asks: nobody's token, and no project."""
SECRET = "canary-5d1e9b"
TEXT = """
heat_template_version: 2018-08-31
description: Two tiers
# A remark of the author.
parameters:
  zone: {type: string, default: north}
  sizes: {type: comma_delimited_list, default: "1,2"}
  word: {type: string, hidden: true, default: canary-5d1e9b}
  pin: {type: string, hidden: true, default: 7x}
resources:
  web:
    type: Test::Server
    description: Where people look
    properties: {flavor: {get_param: zone}, peer: {get_param: word}}
outputs:
  zone: {value: {get_param: zone}}
  where: {value: {get_attr: [web, address]}}
  deep: {value: {get_attr: [web, port, 0, number]}}
  both: {value: {list_join: ["-", [{get_param: zone}, x]]}}
  told: {value: {get_param: word}}
  short: {value: {list_join: ["-", [a, {get_param: pin}]]}}
"""


class TestCase(worker.TestCase):
    def start(self, **given: object) -> None:
        given.setdefault(
            "settings",
            dependencies.Settings(
                max_stacks_per_tenant=-1, hidden_tags=("secret-service",)
            ),
        )
        super().start(**given)
        self.documents = proxy.proxy(
            contract.Documents,
            worker.Direct(endpoints.build_endpoints(self.deps)),
        )

    def make(self, text: object = TEXT, name: str = "app") -> ids.StackId:
        """Return a stack of which all exists."""
        stack_id = self.create(text, name, options={"tags": ["blue"]})
        self.set_stack(stack_id, status=states.Status.COMPLETE)
        return stack_id

    def read(self, stack_id: str) -> contract.StackDocumentsFacts:
        (found,) = self.documents.read(SERVICE, [stack_id])
        return found

    def stack_of(self, stack_id: str) -> contract.DocumentFacts:
        return self.read(stack_id)["documents"][0]

    def resource_of(self, stack_id: str, name: str) -> contract.DocumentFacts:
        (found,) = (
            each
            for each in self.read(stack_id)["documents"]
            if each["kind"] == "resource" and each["name"] == name
        )
        return found
