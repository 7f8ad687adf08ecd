"""The types of event sinks that are installed, ours and those for Heat."""

import collections.abc
import functools
import types
import typing

from oslo_config import cfg
from oslo_log import log

from orch import errors
from orch import redacted
from orch.context import request
from orch.plugin import read_only_values
from orch.plugin import registry
from orch.plugin import sink

NAMESPACE: typing.Final = "heat.event_sinks"


def wrap_sink(name: str, kind: type) -> type[sink.EventSink]:
    """Return an adapter class for a sink of Heat.

    :raises TypeError: it has no method ``consume``
    """
    if not callable(getattr(kind, "consume", None)):
        raise TypeError(f"{kind.__qualname__} has no method consume")
    found: type[sink.EventSink] = type(
        kind.__name__, (_HeatSink,), {"type_name": name, "kind": kind}
    )
    return found


class _HeatSink(sink.EventSink):
    """Adapts a class that was written for Heat."""

    keys = None
    kind: typing.ClassVar[type]

    @classmethod
    def faults(
        cls, declared: sink.Declared
    ) -> collections.abc.Iterable[sink.Fault]:
        """Return why the class cannot be instantiated."""
        try:
            cls._made(declared)
        except Exception as error:
            yield sink.Fault(
                None,
                f"{cls.type_name} does not take it: {error}"[:300],
                "Write what that type of sink needs.",
            )

    @classmethod
    def destination(cls, declared: sink.Declared) -> str:
        """Return the target, if it names one."""
        return str(declared.get("target", ""))

    def send(
        self,
        declared: sink.Declared,
        event: sink.SinkEvent,
        owner: sink.Owner,
    ) -> None:
        """Call ``consume`` of the class with the event."""
        context = request.RequestContext(
            user_id=owner.user_id,
            user_name=owner.user_name,
            project_id=owner.project_id,
            overwrite=False,
        )
        self._made(declared).consume(
            context, read_only_values.thaw(event.body)
        )

    @classmethod
    def _made(cls, declared: sink.Declared) -> typing.Any:
        rest = {key: each for key, each in declared.items() if key != "type"}
        return cls.kind(**rest)


LOG = log.getLogger(__name__)

REDACTED: typing.Final = redacted.TEXT

Kinds = collections.abc.Mapping[str, type[sink.EventSink]]


@functools.cache
def load_sink_types() -> Kinds:
    """Return the types of sinks by name; of two packages ours gives way.

    A type that is written for us overrides one for Heat. One that cannot be
    used is left out, and the log says why.
    """
    found: dict[str, type[sink.EventSink]] = {}
    for name, kind in registry.load_plugins(NAMESPACE).items():
        try:
            found[name] = wrap_sink(name, kind)
        except TypeError as error:
            LOG.error("the event sink %s is left out: %s", name, error)
    for name, kind in registry.load_plugins(registry.EVENT_SINKS).items():
        if issubclass(kind, sink.EventSink) and kind.type_name == name:
            found[name] = kind
        else:
            LOG.error(
                "the event sink %s is left out: %s is no sink of that type",
                name,
                kind.__qualname__,
            )
    return types.MappingProxyType(found)


def load_sinks(
    conf: cfg.ConfigOpts, of: Kinds | None = None
) -> dict[str, sink.EventSink]:
    """Return one instance of each type, by name.

    :param of: the types; ``None`` for those that are installed
    :raises orch.errors.OrchError: the options of one are wrong
    """
    found: dict[str, sink.EventSink] = {}
    for name, kind in (load_sink_types() if of is None else of).items():
        try:
            found[name] = kind(conf)
        except errors.OrchError:
            raise
        except Exception:
            LOG.exception("the event sink %s is left out", name)
    return found


def redact_sink(declared: object) -> object:
    """Return a sink of an environment with its secrets redacted."""
    if not isinstance(declared, dict):
        return declared
    hidden = _secrets(declared)
    return {
        key: REDACTED if key in hidden else value
        for key, value in declared.items()
    }


def list_redacted_keys(declared: object) -> list[str]:
    """Return the keys of a sink whose values are redacted."""
    if not isinstance(declared, dict):
        return []
    return [key for key in _secrets(declared) if declared[key] == REDACTED]


def find_redacted_sinks(
    declared: collections.abc.Sequence[object],
    known: collections.abc.Sequence[sink.Declared],
) -> list[sink.Declared]:
    """Return the known sinks whose secrets the redacted ones refer to.

    One for each redacted sink, in their order, with no secrets but those that
    are redacted, which identifies it. It has the same type and target, as a
    secret must not go to a target that it was not given for. Of several with
    both it is the one in the same place among these; where there are more of
    them now, or fewer, all of them must have the same secrets. A sink that
    refers to none of them has none here.
    """
    found = []
    for place, each in enumerate(declared):
        keys = list_redacted_keys(each)
        if not keys:
            continue
        alike = [
            one
            for one in known
            if _is_same(each, one) and set(keys) <= one.keys()
        ]
        before = [one for one in declared if _is_same(each, one)]
        if len(alike) == len(before):
            nth = sum(_is_same(each, one) for one in declared[:place])
            found.append(_with_secrets(alike[nth], keys))
        elif alike and all(
            one[key] == alike[0][key] for one in alike for key in keys
        ):
            found.append(_with_secrets(alike[0], keys))
    return found


def restore_secrets(
    declared: object, stored_sinks: list[sink.Declared]
) -> object:
    """Return a sink with its secrets, as far as they were stored.

    :param stored_sinks: what :func:`find_redacted_sinks` returned for all
        sinks; a sink that is used is removed from it
    """
    keys = list_redacted_keys(declared)
    for place, one in enumerate(stored_sinks if keys else ()):
        if _is_same(declared, one) and _secrets(one) == set(keys):
            del stored_sinks[place]
            assert isinstance(declared, dict)
            return {**declared, **{key: one[key] for key in keys}}
    return declared


def _is_same(one: object, other: object) -> bool:
    """Whether two sinks lead to the same place."""
    return (
        isinstance(one, collections.abc.Mapping)
        and isinstance(other, collections.abc.Mapping)
        and _place(one) == _place(other)
    )


def _place(declared: sink.Declared) -> object:
    """Return the parts that identify a sink, without its secrets.

    A type without a target may send to where any other key says.
    """
    name = declared.get("type")
    if "target" in declared:
        return name, declared["target"]
    hidden = _secrets(declared)
    return {key: one for key, one in declared.items() if key not in hidden}


def _with_secrets(
    known: sink.Declared, keys: collections.abc.Collection[str]
) -> sink.Declared:
    """Return a sink with these secrets, and no other."""
    others = _secrets(known).difference(keys)
    return {key: one for key, one in known.items() if key not in others}


def _secrets(declared: sink.Declared) -> frozenset[str]:
    """Return the keys of a sink that have secrets, redacted or not."""
    kind = load_sink_types().get(str(declared.get("type")))
    return kind.secrets.intersection(declared) if kind else frozenset()
