"""All schemas of answers that have a name."""

import typing

from orch.api.answers import adoption
from orch.api.answers import drift
from orch.api.answers import lifecycle
from orch.api.answers import plans
from orch.api.answers import resources
from orch.api.answers import search
from orch.api.answers import service
from orch.api.answers import shapes
from orch.api.answers import software
from orch.api.answers import stacks

ALL: typing.Final[dict[str, shapes.Schema]] = {
    **adoption.COMPONENTS,
    **drift.COMPONENTS,
    **lifecycle.COMPONENTS,
    **plans.COMPONENTS,
    **resources.COMPONENTS,
    **search.COMPONENTS,
    **service.COMPONENTS,
    **software.COMPONENTS,
    **stacks.COMPONENTS,
}
