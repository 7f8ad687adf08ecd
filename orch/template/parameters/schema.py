"""How a template defines its parameters."""

import collections.abc
import dataclasses
import typing

from orch.plugin import schema
from orch.template import errors
from orch.template import problems
from orch.template.language import formats
from orch.template.parameters import constraint_keys
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

    def violation(
        self,
        value: object,
        spend: regex.Spend,
        *,
        with_named: bool = True,
        is_hidden: bool = False,
    ) -> str | None:
        """Return why a value of the type breaks a constraint, if it does.

        Nothing of a hidden value is in it.

        :param spend: told of the work that patterns make
        :param with_named: check custom constraints too
        :param is_hidden: whether the value is, where the schema does not say
        """
        for constraint in self.constraints:
            if not with_named and isinstance(
                constraint, schema.CustomConstraint
            ):
                continue
            why = constraints_.find_failure(
                constraint, value, self.type.kind, spend
            )
            if why and (is_hidden or self.is_hidden):
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
        why = self.violation(default, spend, with_named=False)
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


def _hot_item(
    written: object, format_: formats.Format, path: errors.Path
) -> schema.Constraint:
    """Return the constraint of one item: of several, the first counts."""
    if not isinstance(written, dict):
        raise _fault(path, "Invalid parameter constraints, expected a mapping")
    for key in written:
        if key not in (*_READERS, "description"):
            raise _fault(
                (*path, key),
                f"Invalid key '{key}' for parameter constraints",
                problems.suggest_name(key, _READERS),
            )
    description = str(written.get("description") or "")
    for key, read in _READERS.items():
        if key in written and (key != "modulo" or format_.has_modulo):
            return read(written[key], description, (*path, key))
    raise _fault(path, "No constraint expressed")


def _cfn_constraints(
    written: Written, path: errors.Path
) -> collections.abc.Iterator[schema.Constraint]:
    """Return the constraints that are keys of the parameter itself."""
    text = str(written.get("ConstraintDescription") or "")
    for word, keys in constraint_keys.BOUNDS.items():
        bounds = {
            name: written[key] for name, key in keys.items() if key in written
        }
        if bounds:
            yield _READERS[word](bounds, text, path)
    for word, key in constraint_keys.VALUES.items():
        if key in written:
            yield _READERS[word](written[key], text, path)


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


def _range(value: object, text: str, path: errors.Path) -> schema.Range:
    low, high = _pair("range", value, ("min", "max"), path)
    if low is None and high is None:
        raise _fault(
            path,
            "A range constraint must have a min value and/or a max value"
            " specified.",
        )
    return schema.Range(minimum=low, maximum=high, description=text)


def _length(value: object, text: str, path: errors.Path) -> schema.Length:
    low, high = _pair("length", value, ("min", "max"), path)
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


def _modulo(value: object, text: str, path: errors.Path) -> schema.Modulo:
    step, offset = _pair("modulo", value, ("step", "offset"), path)
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


_READERS: typing.Final[
    collections.abc.Mapping[
        str,
        collections.abc.Callable[
            [object, str, errors.Path], schema.Constraint
        ],
    ]
] = {
    "modulo": _modulo,
    "range": _range,
    "length": _length,
    "allowed_values": _allowed_values,
    "allowed_pattern": _allowed_pattern,
    "custom_constraint": _custom,
}
"""What reads the value of a constraint, by its word in HOT."""
