"""Templates of things in the tests' world, in the shapes that faults hit."""

import collections.abc

Template = dict[str, object]


def flat(prefix: str, count: int, **properties: object) -> Template:
    """Return a template of things that do not know each other."""
    return make_template(dict.fromkeys(names(prefix, count), ()), **properties)


def chain(prefix: str, count: int, **properties: object) -> Template:
    """Return a template of things that each need the one before."""
    links = names(prefix, count)
    needs = {
        name: links[place - 1 : place] for place, name in enumerate(links)
    }
    return make_template(needs, **properties)


def make_template(
    needs: collections.abc.Mapping[str, collections.abc.Sequence[str]],
    **properties: object,
) -> Template:
    """Return a template of things: name to the names that it needs."""
    return {
        "heat_template_version": "2021-04-16",
        "resources": {
            name: {
                "type": "Test::World::Thing",
                "depends_on": list(needed),
                "properties": properties,
            }
            for name, needed in needs.items()
        },
    }


def names(prefix: str, count: int) -> list[str]:
    """Return the names of the things in a template, in order."""
    return [f"{prefix}-{number}" for number in range(count)]


SHAPES: tuple[collections.abc.Callable[..., Template], ...] = (chain, flat)
