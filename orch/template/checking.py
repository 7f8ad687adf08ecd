"""Finds all that is wrong with the resources and outputs of a template."""

import collections.abc
import dataclasses

from orch import errors
from orch.plugin import function
from orch.template import body as body_
from orch.template import declaration
from orch.template import errors as template_errors
from orch.template import outputs
from orch.template import problems
from orch.template import resolving
from orch.template import world


@dataclasses.dataclass(frozen=True)
class Checker:
    """Checks one template.

    :ivar files: texts that came with it
    :ivar is_strict: values are checked too; otherwise names alone
    """

    body: body_.Body
    files: collections.abc.Mapping[str, str]
    is_strict: bool = True

    def check(self) -> None:
        """Add what is wrong to the report of the body."""
        report = self.body.report
        scope = self.body.scope(world.EmptyWorld(), marks_unknown=True)
        if self.is_strict:
            circle = self.body.resources.circle()
            if circle is not None:
                report.add(circle)
        for parsed in self.body.resources.parsed.values():
            try:
                self._check_resource(parsed, scope)
            except Exception as error:
                report.add(problems.fault_of(error, parsed.properties.path))
        for output in self.body.outputs.expressions():
            outputs.inspect(output, scope.inner, report)

    def _check_resource(
        self, parsed: declaration.Parsed, scope: function.Scope
    ) -> None:
        if parsed.is_nested:
            self._check_nested(parsed)
            return
        if parsed.declaration.external_id is not None:
            return
        report = self.body.report
        for part in (parsed.properties, parsed.metadata):
            if part.calls:
                outputs.inspect(part, scope.inner, report)
        if not self.is_strict:
            self._check_names(parsed)
            return
        resolver = resolving.Resolver(self.body)
        before = len(report.faults)
        values = resolver.properties(parsed, scope, report.add)
        if parsed.plugin is not None and len(report.faults) == before:
            _ask(parsed, values, report)

    def _check_names(self, parsed: declaration.Parsed) -> None:
        names = resolving.written_names(parsed.properties)
        kind = self.body.resources.kind(parsed.declaration.type_name)
        if kind is not None and not kind.is_open:
            for fault in kind.coercer.unknown(names, parsed.properties.path):
                self.body.report.add(fault)

    def _check_nested(self, parsed: declaration.Parsed) -> None:
        name = parsed.declaration.type_name
        if name not in self.files:
            raise template_errors.TemplateInvalid(
                f'Could not fetch remote template "{name}": it is not among'
                " the files that came with the template"
            )
        if self.is_strict:
            raise template_errors.NestedUnsupported(
                f"The resource {parsed.declaration.name} is a template of"
                f" its own ({name}); stacks in stacks are not served yet."
            )


def _ask(
    parsed: declaration.Parsed,
    values: dict[str, object],
    report: problems.Report,
) -> None:
    """Let the plug-in refuse what it knows to be wrong."""
    assert parsed.plugin is not None
    known = values
    if not parsed.properties.is_static:
        known = {
            name: value
            for name, value in values.items()
            if not _is_unknown(value)
        }
    try:
        parsed.plugin.validate(known)
    except errors.OrchError as error:
        report.add(problems.Fault(parsed.properties.path, error.message))
    except Exception as error:
        report.add(problems.fault_of(error, parsed.properties.path))


def _is_unknown(value: object) -> bool:
    """Answer whether a part of the value is not known yet."""
    if isinstance(value, dict):
        return any(map(_is_unknown, value.values()))
    if isinstance(value, list):
        return any(map(_is_unknown, value))
    return value is world.UNKNOWN
