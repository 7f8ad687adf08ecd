"""The outputs of a template: what a stack tells about itself."""

import collections.abc
import dataclasses

from orch import errors
from orch.context import function_time
from orch.context import outside
from orch.model import marked
from orch.plugin import function
from orch.template import errors as template_errors
from orch.template import problems
from orch.template import world
from orch.template.language import conditions as conditions_
from orch.template.language import expression
from orch.template.language import formats
from orch.template.language import scope as scope_

NO_DESCRIPTION = "No description given"


@dataclasses.dataclass(frozen=True, slots=True)
class Output:
    """One output with its value.

    :ivar value: ``None`` also when its condition is false, when it is not
        known yet, and when there is an error
    :ivar error: why there is no value, a sentence
    :ivar sensitive: paths of what is sensitive in the value; the whole
        where the error may say something of it
    """

    key: str
    description: object
    value: object = None
    error: str | None = None
    sensitive: marked.Paths = ()


class Outputs:
    """The outputs of one template."""

    def __init__(
        self,
        format_: formats.Format,
        parser: expression.Parser,
        conditions: conditions_.Conditions,
    ) -> None:
        self._format = format_
        self._parser = parser
        self._conditions = conditions
        self._descriptions: dict[str, object] = {}
        self._values: dict[str, expression.Expression] = {}

    def read(self, section: object, report: problems.Report) -> None:
        """Take the outputs of a section; the report hears what is wrong."""
        if not section:
            return
        name = self._format.outputs
        if not isinstance(section, dict):
            report.add(
                problems.Fault(
                    (name,),
                    f'"{name}" must contain a map of output maps. Found a'
                    f" [{type(section).__name__}] instead",
                )
            )
            return
        for key, written in section.items():
            try:
                self._read_one(key, written)
            except problems.Fault as fault:
                report.add(fault)

    def _read_one(self, key: str, written: object) -> None:
        path = (self._format.outputs, key)
        keys = self._format.output
        if not isinstance(written, dict):
            raise problems.Fault(
                path,
                "Output definitions must be a map. Found a"
                f" {type(written).__name__} instead",
            )
        if keys.value not in written:
            raise problems.Fault(
                path,
                f"Each output definition must contain a {keys.value} key.",
                advice=problems.suggest_rename(keys.value, written),
            )
        said = written.get(keys.description)
        self._descriptions[key] = NO_DESCRIPTION if said is None else said
        condition = keys.condition
        if condition and condition in written:
            where = (*path, condition)
            if not self._conditions.decide(written[condition], where):
                return
        self._values[key] = self._parser.expression(
            written[keys.value], (*path, keys.value)
        )

    def expressions(self) -> collections.abc.Iterable[expression.Expression]:
        """Return the values of those whose condition holds."""
        return self._values.values()

    def resolve(self, scope: scope_.Scope, only: str | None) -> list[Output]:
        """Return the outputs with their values.

        :param only: key of the one that is wanted; ``None`` for all
        """
        return [
            self._resolve_one(key, description, scope)
            for key, description in self._descriptions.items()
            if only is None or key == only
        ]

    def _resolve_one(
        self, key: str, description: object, scope: scope_.Scope
    ) -> Output:
        parsed = self._values.get(key)
        if parsed is None:
            return Output(key, description)
        scope.reads.take_paths()
        try:
            value = parsed.resolve(scope)
        except world.NotYetKnown:
            return Output(key, description)
        except outside.REFUSALS:
            raise
        except errors.OrchError as error:
            return Output(
                key,
                description,
                error=error.message,
                sensitive=marked.WHOLE if scope.reads.take_paths() else (),
            )
        if value is function.OMITTED:
            value = None
        return Output(
            key,
            description,
            value,
            sensitive=(
                *scope.reads.take_paths(),
                *marked.below(
                    scope.statics.around.sensitive_parts, *parsed.path
                ),
            ),
        )


def inspect_expression(
    parsed: expression.Expression,
    scope: function.Scope,
    report: problems.Report,
) -> None:
    """Let the functions of an expression say what is wrong with them."""
    for call, path in parsed.calls:
        try:
            with function_time.running(), problems.values_omitted(scope):
                call.inspect(scope)
        except world.NotYetKnown:
            continue
        except template_errors.ParameterMissing:
            # What a parameter lacks shows where its value is needed.
            continue
        except Exception as error:
            report.add(problems.fault_of(error, path))
