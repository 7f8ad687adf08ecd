"""All schemas of answers that have a name."""

import typing

from orch.api.response_schemas import adoption
from orch.api.response_schemas import declared
from orch.api.response_schemas import resources
from orch.api.response_schemas import search
from orch.api.response_schemas import service
from orch.api.response_schemas import shapes
from orch.api.response_schemas import software
from orch.api.response_schemas import stacks

ALL: typing.Final[dict[str, shapes.Schema]] = {
    **adoption.COMPONENTS,
    **declared.FACTS.named,
    **resources.COMPONENTS,
    **search.COMPONENTS,
    **service.COMPONENTS,
    **software.COMPONENTS,
    **stacks.COMPONENTS,
}
