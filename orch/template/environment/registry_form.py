"""The form of a ``resource_registry``: which entries, and with what in them.

.. code-block:: yaml

   resource_registry:
     base_url: https://example.com/templates
     My::Server: server.yaml
     OS::Network*: OS::Neutron*
     resources:
       web*:
         hooks: pre-create
         restricted_actions: [update, replace]
"""

import collections.abc

from orch.template import errors
from orch.template import problems
from orch.template.environment import registry

ALL_HOOKS = tuple(
    f"{when}-{action}"
    for when in ("pre", "post")
    for action in ("create", "update", "delete")
)
ALL_ACTIONS = ("update", "replace")

_KEYS = (
    registry.RESOURCES,
    registry.BASE_URL,
    registry.HOOKS,
    registry.RESTRICTED,
)

Faults = collections.abc.Iterator[problems.Fault]


def registry_faults(section: registry.Registry, path: errors.Path) -> Faults:
    """Return what is wrong with a registry, or a section of one.

    Maps under names that mean nothing do no harm in Heat, nor do types
    that do not exist while no resource is of them.
    """
    for name, value in section.items():
        where = (*path, name)
        if value is None:
            continue
        if name == registry.HOOKS:
            yield from _word_faults(value, where, "hook", ALL_HOOKS)
        elif name == registry.RESTRICTED:
            yield from _word_faults(
                value, where, "restricted action", ALL_ACTIONS
            )
        elif isinstance(value, dict):
            yield from registry_faults(value, where)
        elif name == registry.RESOURCES:
            yield _invalid(where, '"resources" must be a map of resources')
        elif not isinstance(value, str):
            yield _invalid(
                where,
                f'"{name}" must name a type or the file of a template',
                problems.suggest_name(name, _KEYS),
            )


def _word_faults(
    value: object,
    path: errors.Path,
    what: str,
    known: collections.abc.Collection[str],
) -> Faults:
    """Return what is wrong with hooks or restricted actions."""
    kind: type[errors.TemplateRefused] = errors.HookInvalid
    if known is ALL_ACTIONS:
        kind = errors.RestrictedActionInvalid
    choice = f"They are: {', '.join(known)}."
    if not isinstance(value, str | list):
        yield problems.Fault(
            path, f"The {what} must be a word or a list of words", kind, choice
        )
        return
    for place, word in enumerate(registry.as_words(value)):
        if word not in known:
            where = (*path, place) if isinstance(value, list) else path
            yield problems.Fault(
                where,
                f'"{word[:100]}" is no {what}',
                kind,
                problems.suggest_name(word, known, choice),
            )


def _invalid(
    path: errors.Path, why: str, advice: errors.Advice = ""
) -> problems.Fault:
    return problems.Fault(path, why, errors.EnvironmentInvalid, advice)
