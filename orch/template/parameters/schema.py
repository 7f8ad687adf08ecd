"""How a template defines its parameters."""

import collections.abc
import dataclasses
import typing

from orch.plugin import schema
from orch.template import errors
from orch.template import problems
from orch.template.language import formats
from orch.template.parameters import constraints as constraints_
from orch.template.parameters import types
from orch.template.text import regex

Written = collections.abc.Mapping[str, object]

NO_DEFAULT: typing.Final = "its value, which is hidden,"
"""Begins a sentence on what is wrong with a hidden value."""


@dataclasses.dataclass(frozen=True)
class ParameterSchema:
    """What a template says of one parameter.

    :ivar default: as written; ``None`` for none
    :ivar description: as written, whatever that is; so are label and tags
    """

    name: str
    type: types.ParameterType
    default: object = None
    description: object = ""
    label: object = ""
    is_hidden: bool = False
    is_immutable: bool = False
    tags: tuple[object, ...] = ()
    constraints: tuple[schema.Constraint, ...] = ()

    def violation(self, value: object, spend: regex.Spend) -> str | None:
        """Return why a value of the type breaks a constraint, if it does.

        Nothing of a hidden value is in it.

        :param spend: told of the work that patterns make
        """
        return self._violation(value, self.constraints, spend)

    @property
    def _plain_constraints(self) -> list[schema.Constraint]:
        """Return those that are no code of a service."""
        return [
            one
            for one in self.constraints
            if not isinstance(one, schema.CustomConstraint)
        ]

    def _violation(
        self,
        value: object,
        among: collections.abc.Iterable[schema.Constraint],
        spend: regex.Spend,
    ) -> str | None:
        for constraint in among:
            why = constraints_.find_failure(
                constraint, value, self.type.kind, spend
            )
            if why and self.is_hidden:
                return constraint.description or (
                    f"{NO_DEFAULT} {constraints_.failure_text(constraint)}"
                )
            if why:
                return why
        return None

    def flaw(self, spend: regex.Spend) -> str | None:
        """Return what is wrong with the schema itself, if anything is.

        :param spend: told of the work that patterns make
        """
        for constraint in self.constraints:
            why = constraints_.find_misuse(constraint, self.type.kind)
            if why:
                return f"Parameter '{self.name}' is invalid: {why}"
        if self.default is None:
            return None
        try:
            default = self.type.default_to_check(self.default)
        except ValueError as error:
            return f"Parameter '{self.name}' is invalid: default: {error}"
        why = self._violation(default, self._plain_constraints, spend)
        return f"Invalid default {self.default} ({why})" if why else None


def read_schema(
    name: str, written: object, format_: formats.Format
) -> ParameterSchema:
    """Return the schema of one parameter.

    :raises problems.Fault: it is wrong
    """
    path = (format_.parameters, name)
    if not isinstance(written, dict):
        raise _fault(path, f"Invalid parameter ({name}), expected a mapping")
    keys = format_.parameter
    _check_keys(name, written, keys, path)
    kind = _type(name, written, keys, path)
    found = _constraints(name, written, format_, path)
    return ParameterSchema(
        name=name,
        type=kind,
        default=written.get(keys.default),
        description=written.get(keys.description) or "",
        label=written.get(keys.label) or "",
        is_hidden=_is_hidden(written.get(keys.hidden), keys),
        is_immutable=_is_true(written.get(keys.immutable or "")),
        tags=_tags(written, keys, path),
        constraints=tuple(found),
    )


def _fault(
    path: errors.Path, message: str, advice: errors.Advice = ""
) -> problems.Fault:
    return problems.Fault(path, message, errors.SchemaInvalid, advice)


def _is_true(value: object) -> bool:
    """Return a flag of a parameter; a word that is not ``true`` is false."""
    return value.lower() == "true" if isinstance(value, str) else bool(value)


def _is_hidden(value: object, keys: formats.ParameterKeys) -> bool:
    if keys.is_hidden_by_word:
        return str(value).lower() == "true"
    return bool(value)


def _check_keys(
    name: str,
    written: Written,
    keys: formats.ParameterKeys,
    path: errors.Path,
) -> None:
    known = keys.others | {
        key
        for key in (
            keys.type,
            keys.default,
            keys.description,
            keys.hidden,
            keys.label,
            keys.constraints,
            keys.immutable,
            keys.tags,
        )
        if key
    }
    for key in written:
        if key not in known:
            raise _fault(
                (*path, key),
                f"Invalid key '{key}' for parameter ({name})",
                problems.suggest_name(key, known),
            )


def _type(
    name: str,
    written: Written,
    keys: formats.ParameterKeys,
    path: errors.Path,
) -> types.ParameterType:
    if keys.type not in written:
        raise _fault(path, f"Missing parameter type for parameter: {name}")
    names = dict(keys.types)
    given = written[keys.type]
    if not isinstance(given, str) or given not in names:
        raise _fault(
            (*path, keys.type),
            f"Invalid type ({given})",
            problems.suggest_name(
                str(given), names, f"Types are: {', '.join(names)}."
            ),
        )
    return types.TYPES[names[given]]


def _tags(
    written: Written, keys: formats.ParameterKeys, path: errors.Path
) -> tuple[object, ...]:
    if keys.tags is None or keys.tags not in written:
        return ()
    tags = written[keys.tags]
    if not isinstance(tags, list):
        raise _fault((*path, keys.tags), "The tags must be a list")
    return tuple(tags)


def _constraints(
    name: str,
    written: Written,
    format_: formats.Format,
    path: errors.Path,
) -> collections.abc.Iterator[schema.Constraint]:
    key = format_.parameter.constraints
    if key is None:
        yield from _cfn_constraints(written, path)
        return
    listed = written.get(key)
    if listed is None:
        return
    path = (*path, key)
    if not isinstance(listed, list):
        raise _fault(
            path,
            f"Invalid parameter constraints for parameter {name}, expected"
            " a list",
        )
    for place, one in enumerate(listed):
        yield _hot_item(one, format_, (*path, place))


_HOT_KEYS = (
    "modulo",
    "range",
    "length",
    "allowed_values",
    "allowed_pattern",
    "custom_constraint",
)


def _hot_item(
    written: object, format_: formats.Format, path: errors.Path
) -> schema.Constraint:
    """Return the constraint of one item: of several, the first counts."""
    if not isinstance(written, dict):
        raise _fault(path, "Invalid parameter constraints, expected a mapping")
    for key in written:
        if key not in (*_HOT_KEYS, "description"):
            raise _fault(
                (*path, key),
                f"Invalid key '{key}' for parameter constraints",
                problems.suggest_name(key, _HOT_KEYS),
            )
    description = str(written.get("description") or "")
    for key in _HOT_KEYS:
        if key not in written or (key == "modulo" and not format_.has_modulo):
            continue
        return _hot_constraint(key, written[key], description, path)
    raise _fault(path, "No constraint expressed")


def _hot_constraint(
    key: str, value: object, description: str, path: errors.Path
) -> schema.Constraint:
    path = (*path, key)
    if key == "range":
        low, high = _pair(key, value, ("min", "max"), path)
        return _range(low, high, description, path)
    if key == "length":
        low, high = _pair(key, value, ("min", "max"), path)
        return _length(low, high, description, path)
    if key == "modulo":
        step, offset = _pair(key, value, ("step", "offset"), path)
        return _modulo(step, offset, description, path)
    if key == "allowed_values":
        return _allowed_values(value, description, path)
    if key == "allowed_pattern":
        return _allowed_pattern(value, description, path)
    return _custom(value, description, path)


def _cfn_constraints(
    written: Written, path: errors.Path
) -> collections.abc.Iterator[schema.Constraint]:
    """Return the constraints that are keys of the parameter itself."""
    text = str(written.get("ConstraintDescription") or "")
    low, high = (_number(written.get(key), path) for key in _CFN_LENGTH)
    if any(key in written for key in _CFN_LENGTH):
        yield _length(low, high, text, path)
    low, high = (_number(written.get(key), path) for key in _CFN_RANGE)
    if any(key in written for key in _CFN_RANGE):
        yield _range(low, high, text, path)
    if "AllowedValues" in written:
        yield _allowed_values(written["AllowedValues"], text, path)
    if "AllowedPattern" in written:
        yield _allowed_pattern(written["AllowedPattern"], text, path)


_CFN_LENGTH = ("MinLength", "MaxLength")
_CFN_RANGE = ("MinValue", "MaxValue")


def _number(value: object, path: errors.Path) -> float | None:
    if value is None:
        return None
    try:
        return types.to_number(value)
    except (ValueError, TypeError):
        raise _fault(path, f"{value!r} is not a number") from None


def _pair(
    key: str, value: object, names: tuple[str, str], path: errors.Path
) -> tuple[float | None, float | None]:
    if not isinstance(value, dict):
        raise _fault(path, f"Invalid {key} constraint, expected a mapping")
    for name in value:
        if name not in names:
            raise _fault(
                (*path, name),
                f"Invalid key '{name}' for {key} constraint",
                problems.suggest_name(name, names),
            )
    first, second = (_number(value.get(name), path) for name in names)
    return first, second


def _range(
    low: float | None, high: float | None, text: str, path: errors.Path
) -> schema.Range:
    if low is None and high is None:
        raise _fault(
            path,
            "A range constraint must have a min value and/or a max value"
            " specified.",
        )
    return schema.Range(minimum=low, maximum=high, description=text)


def _length(
    low: float | None, high: float | None, text: str, path: errors.Path
) -> schema.Length:
    if low is None and high is None:
        raise _fault(
            path,
            "A length constraint must have a min value and/or a max value"
            " specified.",
        )
    for bound in (low, high):
        if bound is not None and not _is_whole(bound):
            raise _fault(path, "A length must be a whole number.")
    return schema.Length(
        minimum=None if low is None else int(low),
        maximum=None if high is None else int(high),
        description=text,
    )


def _is_whole(number: float) -> bool:
    """Answer whether a number is whole, however large it is."""
    return isinstance(number, int) or number.is_integer()


def _modulo(
    step: float | None, offset: float | None, text: str, path: errors.Path
) -> schema.Modulo:
    if step is None or offset is None:
        raise _fault(
            path,
            "A modulo constraint must have a step value and an offset value"
            " specified.",
        )
    if not (_is_whole(step) and _is_whole(offset)):
        raise _fault(path, "step and offset must be whole numbers.")
    if not step:
        raise _fault(path, "step cannot be 0.")
    if abs(offset) >= abs(step):
        raise _fault(
            path, "offset must be smaller (by absolute value) than step."
        )
    if step * offset < 0:
        raise _fault(
            path, "step and offset must be both positive or both negative."
        )
    return schema.Modulo(step=step, offset=offset, description=text)


def _allowed_values(
    value: object, text: str, path: errors.Path
) -> schema.AllowedValues:
    if not isinstance(value, list):
        raise _fault(path, "AllowedValues must be a list")
    return schema.AllowedValues(values=tuple(value), description=text)


def _allowed_pattern(
    value: object, text: str, path: errors.Path
) -> schema.AllowedPattern:
    if not isinstance(value, str):
        raise _fault(path, "AllowedPattern must be a string")
    try:
        regex.Pattern(value, 0, regex.spend_nothing)
    except ValueError as error:
        raise _fault(
            path, f"AllowedPattern is no regular expression: {error}"
        ) from None
    return schema.AllowedPattern(pattern=value, description=text)


def _custom(
    value: object, text: str, path: errors.Path
) -> schema.CustomConstraint:
    if not isinstance(value, str):
        raise _fault(path, "CustomConstraint must be a string")
    return schema.CustomConstraint(name=value, description=text)
