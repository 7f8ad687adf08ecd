"""The members of a stack that is not there yet, as its document has them."""

import collections.abc

from orch import clock
from orch.model import adoption
from orch.plugin import holder


def members_of(
    document: collections.abc.Mapping[str, object],
) -> list[holder.Member]:
    """Return what a document says of the resources of a stack.

    They are in the order in which they were made, where it tells that.

    :raises orch.model.adoption.BadDocument: it is laid out wrongly
    """
    found = adoption.read(document, needs_template=False)
    definitions = _definitions(found.template)
    return [
        holder.Member(
            name=name,
            type_name=entry.type_name,
            physical_id=entry.physical_id,
            reference_id=entry.physical_id,
            is_failed=False,
            created_at=entry.created_at or clock.Timestamp(0.0),
            # It stands, whatever it is: no member has an empty definition.
            definition=definitions.get(name) or {"type": entry.type_name},
        )
        for name, entry in found.entries.items()
    ]


def _definitions(
    template: object,
) -> dict[str, collections.abc.Mapping[str, object]]:
    resources = _map(_map(template).get("resources"))
    return {name: _map(each) for name, each in resources.items()}


def _map(found: object) -> collections.abc.Mapping[str, object]:
    return found if isinstance(found, dict) else {}
