"""Live properties that types read of their physical resources.

See ``orch.plugin.resource.Resource.get_reality`` and ``observe``.
"""

import collections.abc
import enum
import typing

from orch import errors

Reality = collections.abc.Mapping[str, object]
"""JSON values by name of property, in the form that the schema gives them.

It has only what the service shows: a property that is missing is not known.
One that the service does not have at all is ``None``.
"""


class Vanished(errors.Permanent):
    """The physical resource does not exist any more."""

    code = "orch.resource.vanished"


Answer = Reality | errors.OrchError | None
"""What was read of one physical resource.

:class:`Vanished` where it is gone, another error where it could not be read,
``None`` where the type cannot read it.
"""


class Unlisted(enum.Enum):
    """The type of :data:`UNLISTED`."""

    UNLISTED = "unlisted"


UNLISTED: typing.Final = Unlisted.UNLISTED
"""What a list does not show, or not for certain: it has to be read by itself.

A list may be behind, and may show less than a read of one.
"""

ListAnswer = Answer | Unlisted
"""What a list shows of one physical resource."""
