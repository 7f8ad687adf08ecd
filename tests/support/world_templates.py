"""Templates of things of the world that ``tests.support.world`` keeps."""

Json = dict[str, object]


def declare_resource(*needed: str, **properties: object) -> Json:
    """Return the declaration of one thing.

    :param needed: names of the resources that it depends on
    """
    return {
        "type": "Test::World::Thing",
        "depends_on": list(needed),
        "properties": properties,
    }


def template(**resources: Json) -> Json:
    """Return a template with these resources."""
    return {"heat_template_version": "2021-04-16", "resources": resources}


def chain(label: str = "") -> Json:
    """Return three things, each after the one before."""
    return template(
        a=declare_resource(label=label),
        b=declare_resource("a", label=label),
        c=declare_resource("b", label=label),
    )
