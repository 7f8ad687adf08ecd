"""Facts of resources that do not exist yet, for previews."""

from orch import errors
from orch.engine.resources import facts as resource_facts
from orch.engine.secrets import redaction
from orch.model import states
from orch.plugin import registry
from orch.rpc import contract
from orch.template import template
from orch.template import world


def requiring_in_template(
    parsed_template: template.Template,
) -> resource_facts.Requiring:
    """Return for each resource the names of those that require it."""
    return resource_facts.requiring_names(
        (name, declared.requires)
        for name, declared in parsed_template.resources.items()
    )


def placeholder_facts(
    parsed_template: template.Template,
    name: str,
    identity: contract.StackIdentity,
    required_by: resource_facts.Requiring,
    redacts: redaction.Redaction,
) -> contract.ResourceFacts:
    """Return the facts of a resource that does not exist yet.

    Its metadata is empty while a part of it is not known yet.
    """
    declared = parsed_template.resources[name]
    return contract.ResourceFacts(
        id="",
        name=name,
        type_name=declared.declared_type,
        physical_id=None,
        action=states.Action.INIT.value,
        status=states.Status.COMPLETE.value,
        status_reason="",
        required_by=required_by.get(name, []),
        description=declared.description,
        metadata=_metadata(parsed_template, name, redacts),
        stack=identity,
        nested_stack=None,
    )


def attribute_names(types: registry.Types, type_name: str) -> list[str]:
    """Return the attributes that a resource of a type is to show."""
    try:
        plugin = types.get(type_name)
    except errors.NotFound:
        return []
    return [each.name for each in plugin.attributes if not each.is_hidden]


def _metadata(
    parsed_template: template.Template,
    name: str,
    redacts: redaction.Redaction,
) -> dict[str, object]:
    try:
        found = parsed_template.resolve_metadata(name, world.EmptyWorld())
    except world.NotYetKnown:
        return {}
    return redacts.values(found)
