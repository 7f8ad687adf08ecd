"""How large a template may be, and how much work it may make."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Limits:
    """Bounds that keep one template from taking a worker down.

    In each, -1 lifts the limit.

    :ivar template_size: bytes of a template or environment given as text
    :ivar resources: resources of one stack
    :ivar yaql_iterations: elements that a step of a query may give
    :ivar yaql_memory: bytes that a query may hold
    :ivar depth: how deep lists and maps may be nested
    :ivar alias_nodes: values that YAML aliases may add to a document
    :ivar work: items and characters that the functions of a template may
        make in one pass
    """

    template_size: int = 524288
    resources: int = 1000
    yaql_iterations: int = 200
    yaql_memory: int = 10000
    depth: int = 200
    alias_nodes: int = 200_000
    work: int = 50_000_000
