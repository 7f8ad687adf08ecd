"""Values that a service of the cloud has to know, before a stack is made.

Which of them it does not know only the service can tell. Here they are
found, each with its place, and what the service says becomes a fault.
"""

import collections.abc
import dataclasses

from orch.model import marked
from orch.plugin import constraints as plugin_constraints
from orch.plugin import schema
from orch.template import body as body_
from orch.template import errors
from orch.template import problems
from orch.template import resolve
from orch.template import world
from orch.template.parameters import constraints
from orch.template.parameters import custom_constraints
from orch.template.parameters import schema as parameter_schema
from orch.template.parameters import values as parameters_
from orch.template.resources import declaration
from orch.template.text import document as document_

Question = tuple[str, str]
"""Name of a constraint, and a value."""

FindProblems = collections.abc.Callable[
    [collections.abc.Collection[Question]],
    collections.abc.Mapping[Question, str],
]
"""Returns why values are wrong; those that are right are not in it."""


@dataclasses.dataclass(frozen=True)
class Constrained:
    """A value of a parameter or property that a service has to know.

    :ivar parameter: name of the parameter; empty for a property
    :ivar is_hidden: nothing of the value may be told
    """

    constraint: schema.CustomConstraint
    value: str
    path: errors.Path
    document: document_.Document
    parameter: str = ""
    is_hidden: bool = False

    @property
    def question(self) -> Question:
        """Return what the service is asked."""
        return self.constraint.name, self.value

    def fault(self, reason: str) -> problems.Fault:
        """Return that the service does not know the value."""
        why = self.constraint.description
        if not why and self.is_hidden:
            breach = constraints.failure_text(self.constraint)
            why = f"{parameter_schema.NO_DEFAULT} {breach}"
        elif not why:
            why = custom_constraints.failure_text(self.value, reason)
        if self.parameter:
            why = f"Parameter '{self.parameter}' is invalid: {why}"
        return problems.Fault(self.path, why, document=self.document)


def constrained_parameters(
    parameters: parameters_.Parameters,
    document: document_.Document,
    section: str,
) -> collections.abc.Iterator[Constrained]:
    """Return the values of parameters that services have to know.

    :param document: the template
    :param section: name of the part of it that parameters stand in
    """
    for name, declared in parameters.schemas.items():
        checks = _service_constraints(declared.constraints)
        if not checks:
            continue
        try:
            value = parameters.value(name)
        except (errors.TemplateRefused, world.NotYetKnown):
            continue
        for constraint in checks:
            for text in _texts(value):
                yield Constrained(
                    constraint,
                    text,
                    (section, name),
                    document,
                    name,
                    parameters.redacts(name),
                )


def constrained_properties(
    body: body_.Body,
) -> collections.abc.Iterator[Constrained]:
    """Return the values of properties that services have to know.

    What depends on another resource is not known yet, and not among them.
    """
    scope = body.scope(world.EmptyWorld(), marks_unknown=True)
    asking: dict[str, bool] = {}
    for parsed in body.resources.parsed.values():
        type_name = parsed.declaration.type_name
        if type_name not in asking:
            asking[type_name] = _may_ask(parsed)
        if not asking[type_name] or parsed.declaration.external_id is not None:
            continue
        assert parsed.plugin is not None
        values = resolve.Resolver(body).known(parsed, scope)
        for name, declared in parsed.plugin.schemas.items():
            for constraint, text, path in _within(
                declared, values.get(name), (*parsed.properties.path, name)
            ):
                at = path[len(parsed.properties.path) :]
                is_hidden = bool(marked.below(values.sensitive, *at))
                yield Constrained(
                    constraint,
                    text,
                    path,
                    body.document,
                    is_hidden=is_hidden,
                )


def check_constrained(
    found: collections.abc.Iterable[Constrained], find_problems: FindProblems
) -> None:
    """Refuse the values that services do not know, all of them at once.

    :raises orch.errors.OrchError: the first problem decides the type
    """
    values = list(found)
    if not values:
        return
    wrong = find_problems({one.question for one in values})
    report = problems.Report()
    for one in values:
        if one.question in wrong:
            report.add(one.fault(wrong[one.question]))
    report.check()


def _may_ask(parsed: declaration.Parsed) -> bool:
    """Answer whether anything of such a resource is known to a service."""
    return parsed.plugin is not None and any(
        map(_is_constrained, parsed.plugin.properties)
    )


def _is_constrained(declared: schema.Property) -> bool:
    """Answer whether a part of the property is to be known to a service."""
    parts = (*declared.fields, *((declared.items,) if declared.items else ()))
    return bool(_service_constraints(declared.constraints)) or any(
        map(_is_constrained, parts)
    )


def _service_constraints(
    declared: collections.abc.Iterable[schema.Constraint],
) -> list[schema.CustomConstraint]:
    return [
        one
        for one in declared
        if isinstance(one, schema.CustomConstraint)
        and one.name in plugin_constraints.load_constraints()
    ]


def _within(
    declared: schema.Property, value: object, path: errors.Path
) -> collections.abc.Iterator[
    tuple[schema.CustomConstraint, str, errors.Path]
]:
    """Return what is asked of a value and of all parts of it."""
    for constraint in _service_constraints(declared.constraints):
        for text in _texts(value):
            yield constraint, text, path
    if isinstance(value, dict):
        for part in declared.fields:
            yield from _within(part, value.get(part.name), (*path, part.name))
    if declared.items is None:
        return
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _within(declared.items, one, (*path, key))
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from _within(declared.items, one, (*path, place))


def _texts(value: object) -> list[str]:
    """Return the names in a value; an empty one stands for none given."""
    found = value if isinstance(value, list) else [value]
    return [
        str(one)
        for one in found
        if isinstance(one, str | int) and not isinstance(one, bool) and one
    ]
