"""What a user sends to describe a stack."""

import collections.abc
import dataclasses


@dataclasses.dataclass(frozen=True)
class Inputs:
    """A template and all that comes with it.

    :ivar template: text, or an object that was parsed already
    :ivar environment: text or object; ``None`` for none
    :ivar parameters: values by name; they win over the environment's
    :ivar files: texts by name
    :ivar environment_files: names in ``files``, merged in this order; the
        ``environment`` does not count when there are any
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
