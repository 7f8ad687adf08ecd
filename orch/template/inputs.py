"""What a template is read with: what a user sends, its stack, and limits."""

import collections.abc
import dataclasses
import typing

from orch import json_depth
from orch.model import marked


@dataclasses.dataclass(frozen=True)
class Identity:
    """What the pseudo parameters (``OS::stack_name``, …) say."""

    stack_id: str
    stack_name: str
    project_id: str

    @property
    def arn(self) -> str:
        """Return the name that CloudFormation templates know it by."""
        return (
            f"arn:openstack:heat::{self.project_id}"
            f":stacks/{self.stack_name}/{self.stack_id}"
        )


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


@dataclasses.dataclass(frozen=True)
class ParentContext:
    """What a stack in a stack knows of those around it.

    :ivar depth: how many stacks are around it
    :ivar facade: parts of the resource that holds it; ``None`` for a stack
        that none holds
    :ivar without: mappings of the installation's types that do not hold in
        it: each led to the template of a stack around it, or to its own
    :ivar sensitive_parameters: names of those that were given something
        sensitive
    :ivar sensitive_parts: paths of what is sensitive in the template, where
        that was made from properties
    :ivar has_sensitive_facade: something in the facade is sensitive
    """

    depth: int
    facade: collections.abc.Mapping[str, object] | None
    without: tuple[str, ...] = ()
    sensitive_parameters: tuple[str, ...] = ()
    sensitive_parts: marked.Paths = ()
    has_sensitive_facade: bool = False


NO_PARENT: typing.Final = ParentContext(0, None)


@dataclasses.dataclass(frozen=True)
class Inputs:
    """A template and all that comes with it.

    :ivar template: text, or an object that was parsed already
    :ivar environment: text or object; ``None`` for none
    :ivar parameters: values by name; they win over the environment's
    :ivar files: texts by name
    :ivar environment_files: names in ``files``, merged in this order; the
        ``environment`` does not count when there are any
    :ivar around: for a stack in a stack, what it knows of those around it
    :ivar source: text that an object was parsed from, where that is known;
        only to find the place of what is wrong
    :ivar stored_sinks: event sinks as the stack has them, for each that came
        with asterisks in place of its secret, in their order
    """

    template: object
    environment: object = None
    parameters: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    files: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    environment_files: collections.abc.Sequence[str] = ()
    around: ParentContext | None = None
    source: str = ""
    stored_sinks: collections.abc.Sequence[
        collections.abc.Mapping[str, object]
    ] = ()

    @property
    def text(self) -> str:
        """The template as it was written; empty where it is not known."""
        return self.template if isinstance(self.template, str) else self.source
