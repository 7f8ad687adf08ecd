"""How large a template may be, and how much work it may make."""

import dataclasses

from orch import json_depth


@dataclasses.dataclass(frozen=True)
class Limits:
    """Bounds that keep one template from taking a worker down.

    In each, -1 lifts the limit.

    :ivar template_size: bytes of a template or environment given as text
    :ivar resources: resources of one stack
    :ivar nested_depth: how many stacks may be in one another below a stack
    :ivar yaql_iterations: elements that a step of a query may give
    :ivar yaql_memory: bytes that a query may hold
    :ivar depth: how deep lists and maps may be nested
    :ivar digits: how long a number may be
    :ivar alias_nodes: weight that YAML aliases may add to a document
    :ivar work: what the functions of a template may make in one pass over
        it, by :mod:`orch.template.text.value_size`: some 16 million items, or
        250 million characters
    :ivar resource_work: the same for one resource, when it is made
    :ivar function_s: processor seconds that functions may take in one
        request, over all its templates
    """

    template_size: int = 524288
    resources: int = 1000
    nested_depth: int = 5
    yaql_iterations: int = 200
    yaql_memory: int = 10000
    depth: int = json_depth.MAX_DEPTH
    digits: int = 4300
    alias_nodes: int = 200_000
    work: int = 16_000_000
    resource_work: int = 2_000_000
    function_s: float = 1.6
