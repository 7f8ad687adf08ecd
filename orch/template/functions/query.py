"""``yaql``: queries over data, with limits on work and memory."""

import collections.abc
import datetime
import functools
import json
import threading

import yaql
from yaql.language import contexts
from yaql.language import exceptions
from yaql.language import expressions
from yaql.language import factory

from orch.plugin import function
from orch.template.functions import query_costs
from orch.template.functions import query_patterns
from orch.template.text import values

_MAX_LENGTH = 16_384
"""How long a query may be; reading it takes the square of that."""
_MAX_BITS = 14_000
"""How long a number may be that a query gives; JSON takes no more."""
_MAX_CACHED_LENGTH = 500
"""How long a query is that is kept after it was read."""


class Yaql(function.Function):
    """Gives the result of a query in YAQL over ``$.data``."""

    __slots__ = ()

    def check(self) -> None:
        """Refuse wrong keys, and an expression that is no YAQL."""
        arguments = values.need_map(self.name, self.arguments)
        if "expression" not in arguments or set(arguments) - {
            "expression",
            "data",
        }:
            raise KeyError(
                f'"{self.name}" syntax should be {self.name}:'
                " {expression: $.data.var1.sum(), data: {var1: [3, 2, 1]}}"
            )
        expression = arguments["expression"]
        if isinstance(expression, list | dict):
            raise TypeError("Bad expression: it must be a text")
        if not isinstance(expression, function.Node):
            _parse(expression)

    def evaluate(self, scope: function.Scope) -> object:
        """Return the result as plain values."""
        arguments = self.resolved(scope)
        assert isinstance(arguments, dict)
        iterations, memory = scope.query_limits
        query = arguments.get("expression")
        if isinstance(query, list | dict):
            raise TypeError("Bad expression: it must be a text")
        statement = expressions.Statement(
            _parse(query).expression,
            _limited_engine(iterations, memory),
        )
        context = query_costs.Metered(_standard_library(), scope)
        data = {"data": arguments.get("data", {})}
        try:
            result = statement.evaluate(data=data, context=context)
        except RecursionError:
            raise ValueError("The expression is nested too deep") from None
        except StopIteration as error:
            if error.args:
                raise ValueError(str(error)) from None
            # The first, last or only one of nothing.
            return None
        return _plain(result)


@functools.cache
def _standard_library() -> contexts.ContextBase:
    """Return the standard library; nothing is ever written into it."""
    context: contexts.ContextBase = yaql.create_context(regex=False)
    query_patterns.register_patterns(context)
    query_costs.register_costs(context)
    return context


_PARSING = threading.Lock()
"""The library parses one query at a time."""


@functools.cache
def _engine() -> factory.YaqlEngine:
    """Return the parser of queries without limits; making one is slow."""
    engine: factory.YaqlEngine = yaql.YaqlFactory().create()
    return engine


@functools.lru_cache(maxsize=8)
def _limited_engine(iterations: int, memory: int) -> factory.YaqlEngine:
    """Return an engine that refuses more than that."""
    engine: factory.YaqlEngine = _engine().copy(
        {
            "yaql.limitIterators": iterations,
            "yaql.memoryQuota": memory,
            "yaql.convertTuplesToLists": True,
            "yaql.convertSetsToLists": True,
        }
    )
    return engine


def _parse(expression: object) -> expressions.Statement:
    """Return the query of a text.

    :raises ValueError: it is none
    """
    if not isinstance(expression, str):
        raise ValueError("Bad expression: it must be a text")
    if len(expression) > _MAX_LENGTH:
        raise ValueError(
            f"Bad expression: it is longer than {_MAX_LENGTH} characters."
        )
    if len(expression) > _MAX_CACHED_LENGTH:
        return _read_query(expression)
    return _read_cached(expression)


def _read_query(text: str) -> expressions.Statement:
    """Return the query of a text, without limits.

    :raises ValueError: it is none
    """
    try:
        with _PARSING:
            statement: expressions.Statement = _engine()(text)
            return statement
    except exceptions.YaqlException as error:
        raise ValueError(f"Bad expression {error}.") from None
    except RecursionError:
        raise ValueError("Bad expression: nested too deep.") from None


_read_cached = functools.lru_cache(maxsize=256)(_read_query)


def _plain(value: object) -> object:
    """Return the result with no types but those of JSON."""
    if isinstance(value, collections.abc.Mapping):
        return {_key(key): _plain(one) for key, one in value.items()}
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        raise ValueError("The result is a number of too many digits")
    if isinstance(value, str | int | float) or value is None:
        return value
    if isinstance(value, collections.abc.Sequence | collections.abc.Set):
        return [_plain(one) for one in value]
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.%f")
    return str(value)


def _key(value: object) -> str:
    """Return the key of a map as JSON writes it."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return str(value)
