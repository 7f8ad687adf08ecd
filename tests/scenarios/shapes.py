"""What a scenario calls a template: things by name, and what they need."""

import collections.abc
import dataclasses

from tests.support import world

TYPES = {"Thing": "Test::World::Thing", "Other": "Test::World::Other"}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Thing:
    """How one thing is declared.

    :ivar type: ``Thing`` or ``Other``
    :ivar value: cannot be changed in place
    :ivar label: changed in place
    :ivar refs: things whose ids it holds; changed in place
    :ivar bound: likewise, but another id needs another thing
    :ivar reads: things whose labels it holds; changed in place
    :ivar after: things that it depends on without a reason
    :ivar policy: its deletion policy
    :ivar slow: seconds until it is usable, and until it is gone
    """

    type: str = "Thing"
    value: str = ""
    label: str = ""
    refs: tuple[str, ...] = ()
    bound: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    policy: str = "Delete"
    slow: float = 0

    def __repr__(self) -> str:
        """Return what differs from the defaults."""
        told = [
            f"{each.name}={getattr(self, each.name)!r}"
            for each in dataclasses.fields(self)
            if getattr(self, each.name) != each.default
        ]
        return f"Thing({', '.join(told)})"

    @property
    def needs(self) -> set[str]:
        """Return the names that it needs in any way."""
        return {*self.refs, *self.bound, *self.reads, *self.after}


Shape = collections.abc.Mapping[str, Thing]


def parse(given: object) -> dict[str, Thing]:
    """Return the things that a scenario declares.

    :param given: name to keys of :class:`Thing`, none for all defaults
    :raises ValueError: a key is unknown, or something needs what is not
        there
    """
    if not isinstance(given, dict):
        raise ValueError(f"things are a map, not {given!r}")
    shape = {str(name): _thing(name, each) for name, each in given.items()}
    for name, thing in shape.items():
        missing = thing.needs - shape.keys()
        if missing:
            raise ValueError(f"{name} needs {missing}, which are not there")
    return shape


def _thing(name: str, given: object) -> Thing:
    fields = {each.name for each in dataclasses.fields(Thing)}
    keys = given if isinstance(given, dict) else {}
    if unknown := keys.keys() - fields:
        raise ValueError(f"{name}: unknown {sorted(unknown)}; {fields}")
    values = {
        key: tuple(each) if isinstance(each, list) else each
        for key, each in keys.items()
    }
    if values.get("type", "Thing") not in TYPES:
        raise ValueError(f"{name}: a type is one of {list(TYPES)}")
    return Thing(**values)  # type: ignore[arg-type]


def template(shape: Shape) -> dict[str, object]:
    """Return the template that declares these things."""
    return {
        "heat_template_version": "2021-04-16",
        "resources": {name: _declared(each) for name, each in shape.items()},
    }


def _declared(thing: Thing) -> dict[str, object]:
    return {
        "type": TYPES[thing.type],
        "deletion_policy": thing.policy,
        "depends_on": list(thing.after),
        "properties": {
            "ready_after_s": thing.slow,
            "gone_after_s": thing.slow,
            "value": thing.value,
            "label": thing.label,
            "refs": [{"get_resource": each} for each in thing.refs],
            "bound": [{"get_resource": each} for each in thing.bound],
            "reads": [{"get_attr": [each, "label"]} for each in thing.reads],
        },
    }


Look = dict[str, tuple[object, ...]]


def expected(shape: Shape) -> Look:
    """Return how the world looks when all of it stands, ids as names."""
    return {
        name: (
            thing.value,
            thing.label,
            thing.refs,
            thing.bound,
            tuple(shape[each].label for each in thing.reads),
        )
        for name, thing in shape.items()
    }


def seen(things: collections.abc.Sequence[world.Thing]) -> Look:
    """Return how the world looks, ids as names.

    A second thing of one name, and an id that nothing has, show as what
    they are.
    """
    names = {each.id: each.name for each in things}
    look: Look = {}
    for each in things:
        name = each.name if each.name not in look else f"{each.name} again"
        look[name] = (
            each.value,
            each.label,
            tuple(names.get(ref, f"{ref} is gone") for ref in each.refs),
            tuple(names.get(ref, f"{ref} is gone") for ref in each.bound),
            each.reads,
        )
    return look
