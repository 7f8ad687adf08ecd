"""What a user sends to describe a stack."""

import collections.abc
import dataclasses
import typing

from orch.model import marked


@dataclasses.dataclass(frozen=True)
class ParentContext:
    """What a stack in a stack knows of those around it.

    :ivar depth: how many stacks are around it
    :ivar facade: parts of the resource that holds it
    :ivar without: mappings of the installation's types that do not hold in
        it: each led to the template of a stack around it, or to its own
    :ivar sensitive_parameters: names of those that were given something
        sensitive
    :ivar sensitive_parts: paths of what is sensitive in the template, where
        that was made from properties
    :ivar has_sensitive_facade: something in the facade is sensitive
    """

    depth: int
    facade: collections.abc.Mapping[str, object]
    without: tuple[str, ...] = ()
    sensitive_parameters: tuple[str, ...] = ()
    sensitive_parts: marked.Paths = ()
    has_sensitive_facade: bool = False


NO_PARENT: typing.Final = ParentContext(0, {})


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
