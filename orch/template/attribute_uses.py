"""Which attributes of the resources anything in a template reads."""

from orch.plugin import nested_stack
from orch.template import body as body_
from orch.template.resources import nested_type


def find_attribute_uses(body: body_.Body) -> dict[str, frozenset[str]]:
    """Return the keys of the attributes that are read, by resource.

    Of a resource whose template says what stands for it, that as well: the
    members of a group are referred to from outside of its template.
    """
    resources = body.resources
    read: dict[str, set[str]] = {
        name: {nested_stack.path_key((nested_type.STACK_ID,))}
        for name, each in resources.parsed.items()
        if each.nested is not None and each.nested.has_stack_id
    }
    for reference in body.references():
        names = read.setdefault(reference.resource, set())
        if reference.attribute is not None:
            path: nested_stack.Path = (reference.attribute,)
            if resources.is_nested_stack(reference.resource):
                path = (*path, *reference.path)
            names.add(nested_stack.path_key(path))
        elif reference.is_open:
            names.update(resources.attribute_names(reference.resource))
    return {name: frozenset(names) for name, names in read.items()}
