"""What a scenario calls a template: things by name, and what they need."""

import collections.abc
import dataclasses
import json

from tests.support import world

TYPES = {"Thing": "Test::World::Thing", "Other": "Test::World::Other"}
OUTER = "^"
"""In place of a label inside a stack: that of the stack."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ResourceShape:
    """How one thing is declared.

    :ivar type: ``Thing`` or ``Other``
    :ivar value: cannot be changed in place
    :ivar label: changed in place; the default of the parameter ``label-NAME``
    :ivar given: the value of that parameter, if a request gave one
    :ivar restored: the label that a snapshot brought back, where another
        one was declared: it stands in the template since
    :ivar refs: things whose ids it holds; changed in place
    :ivar fixed_refs: likewise, but another id needs another thing
    :ivar reads: things whose labels it holds; changed in place
    :ivar after: things that it depends on without a reason
    :ivar policy: its deletion policy
    :ivar slow: seconds until it is usable, and until it is gone
    :ivar inside: what it is made of, if it is a stack; its first thing is
        what others refer to and read when they name the stack
    """

    type: str = "Thing"
    value: str = ""
    label: str = ""
    given: str | None = None
    restored: str | None = None
    refs: tuple[str, ...] = ()
    fixed_refs: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    policy: str = "Delete"
    slow: float = 0
    inside: collections.abc.Mapping[str, "ResourceShape"] = dataclasses.field(
        default_factory=dict
    )

    def __repr__(self) -> str:
        """Return what differs from the defaults."""
        told = [
            f"{each.name}={getattr(self, each.name)!r}"
            for each in dataclasses.fields(self)
            if getattr(self, each.name) not in (each.default, {})
        ]
        return f"Thing({', '.join(told)})"

    @property
    def look(self) -> str:
        """Return the label that it has."""
        if self.restored is not None:
            return self.restored
        return self.label if self.given is None else self.given

    @property
    def needs(self) -> set[str]:
        """Return the names that it needs in any way."""
        return {*self.refs, *self.fixed_refs, *self.reads, *self.after}


Shape = collections.abc.Mapping[str, ResourceShape]
Labels = collections.abc.Mapping[str, str]


def parse(given: object) -> dict[str, ResourceShape]:
    """Return the things that a scenario declares.

    :param given: name to keys of :class:`Thing`, none for all defaults
    :raises ValueError: a key is unknown, or something needs what is not
        there
    """
    if not isinstance(given, dict):
        raise ValueError(f"things are a map, not {given!r}")
    shape = {
        str(name): _read_resource(name, each) for name, each in given.items()
    }
    for name, thing in shape.items():
        missing = thing.needs - shape.keys()
        if missing:
            raise ValueError(f"{name} needs {missing}, which are not there")
    return shape


def _read_resource(name: str, given: object) -> ResourceShape:
    fields = {each.name for each in dataclasses.fields(ResourceShape)}
    keys = given if isinstance(given, dict) else {}
    if unknown := keys.keys() - fields:
        raise ValueError(f"{name}: unknown {sorted(unknown)}; {fields}")
    values = {
        key: tuple(each) if isinstance(each, list) else each
        for key, each in keys.items()
    }
    if "inside" in values:
        values["inside"] = parse(values["inside"])
    if values.get("type", "Thing") not in TYPES:
        raise ValueError(f"{name}: a type is one of {list(TYPES)}")
    return ResourceShape(**values)  # type: ignore[arg-type]


def document(shape: Shape) -> dict[str, object]:
    """Return the template that declares these things, and its files."""
    found: dict[str, object] = {"template": template(shape)}
    if files := _files(shape):
        found["files"] = files
    return found


def _files(shape: Shape) -> dict[str, str]:
    files: dict[str, str] = {}
    for name, each in shape.items():
        if each.inside:
            files[f"{name}.yaml"] = json.dumps(_child_template(each.inside))
            files |= _files(each.inside)
    return files


def _child_template(shape: Shape) -> dict[str, object]:
    """Return the template of a stack inside."""
    found = template(shape)
    first = next(iter(shape))
    parameters = {"outer": {"type": "string"}}
    outputs = {
        "OS::stack_id": {"value": {"get_resource": first}},
        "label": {"value": {"get_attr": [first, "label"]}},
    }
    declared = found["parameters"]
    assert isinstance(declared, dict)
    return {**found, "parameters": declared | parameters, "outputs": outputs}


def template(shape: Shape) -> dict[str, object]:
    """Return the template that declares these things.

    Each label is a parameter, so that a request can give that alone.
    """
    return {
        "heat_template_version": "2021-04-16",
        "parameters": {
            parameter(name): {"type": "string", "default": each.label}
            for name, each in shape.items()
        },
        "resources": {
            name: _declared(name, each) for name, each in shape.items()
        },
    }


def parameter(name: str) -> str:
    """Return the name of the parameter that is a thing's label."""
    return f"label-{name}"


def plain(shape: Shape) -> Shape:
    """Return the same things with the labels that they have as defaults."""
    return {
        name: dataclasses.replace(
            each, label=each.look, given=None, restored=None
        )
        for name, each in shape.items()
    }


def patched(
    before: Shape,
    things: Shape | None,
    labels: Labels,
    cleared: collections.abc.Collection[str],
) -> Shape:
    """Return what a request wants that names only what is to be different.

    :param things: another template; ``None`` for the one before
    :param labels: values of parameters, by the name of the thing
    :param cleared: things whose parameter gets its default back
    """
    patched_: dict[str, ResourceShape] = {}
    for name, thing in (before if things is None else things).items():
        given = before[name].given if name in before else None
        if name in cleared:
            given = None
        given = labels.get(name, given)
        patched_[name] = dataclasses.replace(thing, given=given)
    return patched_


def restored(
    before: Shape, kept: collections.abc.Iterable[world.StoredResource]
) -> Shape:
    """Return what stood, with the labels that a snapshot keeps.

    Where that is the label that was declared, the declaration stays.
    """
    labels = {(each.name, each.type): each.label for each in kept}
    found: dict[str, ResourceShape] = {}
    for name, each in before.items():
        label = each.look
        if not each.inside:
            label = labels.get((name, TYPES[each.type]), label)
        is_declared = label == each.look
        found[name] = (
            each if is_declared else dataclasses.replace(each, restored=label)
        )
    return found


def _declared(name: str, thing: ResourceShape) -> dict[str, object]:
    label = parameter(name) if thing.label != OUTER else "outer"
    if thing.inside:
        return {
            "type": f"{name}.yaml",
            "deletion_policy": thing.policy,
            "depends_on": list(thing.after),
            "properties": {"outer": {"get_param": label}},
        }
    return {
        "type": TYPES[thing.type],
        "deletion_policy": thing.policy,
        "depends_on": list(thing.after),
        "properties": {
            "ready_after_s": thing.slow,
            "gone_after_s": thing.slow,
            "value": thing.value,
            "label": {"get_param": label},
            "refs": [{"get_resource": each} for each in thing.refs],
            "bound": [{"get_resource": each} for each in thing.fixed_refs],
            "reads": [{"get_attr": [each, "label"]} for each in thing.reads],
        },
    }


class _Anything:
    """Equal to everything: a value of which nothing can be said."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "anything"


ANYTHING = _Anything()
Look = dict[str, tuple[object, ...]]
Names = collections.abc.Collection[str]


def expected(shape: Shape, unsure: Names = ()) -> Look:
    """Return how the world looks when all of it stands, ids as names.

    :param unsure: things of which nothing can be said
    """
    return {
        name: (
            TYPES[thing.type],
            thing.value,
            thing.look,
            thing.refs,
            thing.fixed_refs,
            tuple(_read(each, shape, unsure) for each in thing.reads),
        )
        for name, thing in shape.items()
        if name not in unsure
    }


def _read(name: str, shape: Shape, unsure: Names) -> object:
    return ANYTHING if name in unsure else shape[name].look


def observed_look(
    things: collections.abc.Sequence[world.PhysicalResource],
    unsure: Names = (),
) -> Look:
    """Return how the world looks, ids as names.

    A second thing of one name, and an id that nothing has, show as what
    they are.

    :param unsure: things of which nothing can be said
    """
    names = {each.id: each.name for each in things}
    look: Look = {}
    for each in things:
        if each.name in unsure:
            continue
        name = each.name if each.name not in look else f"{each.name} again"
        look[name] = (
            each.type,
            each.value,
            each.label,
            tuple(names.get(ref, f"{ref} is gone") for ref in each.refs),
            tuple(names.get(ref, f"{ref} is gone") for ref in each.fixed_refs),
            each.reads,
        )
    return look
