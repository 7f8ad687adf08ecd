"""Find the plug-ins of workers and templates by their entry points.

A plug-in that cannot be loaded is reported and left out. Whatever it raises,
the worker goes on with the others.
"""

import collections.abc
import importlib.metadata
import typing

from oslo_config import cfg
from oslo_log import log
from stevedore import named

from orch import errors
from orch.plugin import resource
from orch.plugin import schema_only

LOG = log.getLogger(__name__)

RESOURCES: typing.Final = "orch.resources"
RESOURCE_SETS: typing.Final = "orch.resource_sets"
"""Each entry point names a function that returns types by name, which data
describe; it gets what reports a type that is left out. A class of
:data:`RESOURCES` replaces its types.
"""
FUNCTIONS: typing.Final = "orch.template_functions"
EVENT_SINKS: typing.Final = "orch.event_sinks"
KNOWN_TYPES: typing.Final = "orch.known_types"
"""Each entry point names a package whose JSON files hold facts of types
(``orch.plugin.facts``) that are known and that no plug-in serves yet; its own
name is free. A plug-in of the same type counts, wherever it comes from.
"""

_BUILT_IN = "orch."

OnError = collections.abc.Callable[[str, BaseException], None]
"""Called for each plug-in that was left out: its name, and why."""


class BadPlugin(errors.OrchError):
    """An entry point does not lead to a plug-in of its kind."""

    code = "orch.plugin.bad"


class UnknownType(errors.NotFound):
    """No plug-in serves a resource type, or it is switched off.

    It may still be known by its schema.
    """

    code = "orch.resource_type.unknown"


class Types(typing.Protocol):
    """Resource types by name, installed ones and others."""

    def find(self, type_name: str) -> resource.Resource | None:
        """Return a served or schema-only type; ``None`` if it is unknown."""

    def get(self, type_name: str) -> resource.Resource:
        """Return the plug-in that serves a type.

        :raises UnknownType: there is none here
        """

    def names(self) -> list[str]:
        """Return the names of all types, sorted."""


class ResourceTypes:
    """The resource types of this process, one instance a type."""

    def __init__(
        self, conf: cfg.ConfigOpts, on_error: OnError | None = None
    ) -> None:
        """Load all types that the installed packages declare.

        Types that act on the worker's machine are left out unless
        ``[local] enabled`` is true.

        :param conf: the options, with all groups registered; the plug-ins
            get them too
        :param on_error: told of each plug-in that is left out; ``None``
            writes it to the log
        """
        self._conf = conf
        self._plugins: dict[str, resource.Resource] = {}
        self._switched_off: set[str] = set()
        report = on_error or _log_error
        self._known = schema_only.Catalogue(
            _packages(KNOWN_TYPES), conf, report
        )
        for name, kind in _load_resources(report).items():
            try:
                self._add(name, kind)
            except Exception as error:
                report(name, error)

    @classmethod
    def of(
        cls,
        kinds: collections.abc.Iterable[type[resource.Resource]],
        conf: cfg.ConfigOpts,
    ) -> typing.Self:
        """Return exactly these types; for tests and for embedding.

        :raises Exception: whatever a plug-in raises when it is made
        """
        types = cls.__new__(cls)
        types._conf = conf
        types._plugins = {}
        types._switched_off = set()
        types._known = schema_only.Catalogue((), conf, _log_error)
        for kind in kinds:
            types._add(kind.type_name, kind)
        return types

    def find(self, type_name: str) -> resource.Resource | None:
        """Return a served or schema-only type; ``None`` if it is unknown.

        That may be no more than its schema: see
        :attr:`orch.plugin.resource.Resource.is_known_only`.
        """
        served = self._plugins.get(type_name)
        return served or self._known.find(type_name)

    def get(self, type_name: str) -> resource.Resource:
        """Return the plug-in that serves a type.

        :raises UnknownType: there is none here
        """
        try:
            return self._plugins[type_name]
        except KeyError:
            raise UnknownType(self._explain(type_name)) from None

    def names(self) -> list[str]:
        """Return the names of all types but variants, sorted."""
        served = {
            name
            for name, plugin in self._plugins.items()
            if not plugin.is_variant
        }
        return sorted(served | self._known.names())

    def served(self) -> list[resource.Resource]:
        """Return the plug-ins of all types that are served here."""
        return list(self._plugins.values())

    def _add(self, name: str, kind: type) -> None:
        if not issubclass(kind, resource.Resource):
            raise BadPlugin(f"{kind.__qualname__} is no plugin.Resource")
        if kind.type_name != name:
            raise BadPlugin(
                f"{kind.__qualname__} says it is {kind.type_name}; give its"
                " entry point that name"
            )
        if kind.is_local and not self._conf.local.enabled:
            self._switched_off.add(name)
            return
        self._plugins[name] = kind(self._conf)

    def _explain(self, type_name: str) -> str:
        if type_name in self._switched_off:
            return (
                f"the resource type {type_name} acts on the worker's machine"
                " and is switched off; the operator may allow it by"
                " [local] enabled"
            )
        return (
            f"no plug-in serves the resource type {type_name}; install its"
            " package on all workers"
        )


def load_functions(
    on_error: OnError | None = None,
) -> collections.abc.Mapping[str, type]:
    """Return the template functions of all installed packages, by name.

    :param on_error: told of each one that is left out; ``None`` writes it
        to the log
    """
    return load_plugins(FUNCTIONS, on_error)


def load_plugins(
    group: str, on_error: OnError | None = None
) -> collections.abc.Mapping[str, type]:
    """Return the classes of an entry point group, by name.

    Of two packages that declare one name, ours gives way.

    :param on_error: told of each one that is left out; ``None`` writes it
        to the log
    """
    return _load(group, on_error or _log_error)


def _packages(group: str) -> list[str]:
    """Return the packages that the entry points of a group name, ours first.

    They are not imported yet.
    """
    return [
        entry.module
        for entry in sorted(entry_points(group), key=is_third_party)
    ]


def _load(group: str, report: OnError) -> dict[str, type]:
    """Return the class behind each entry point of a group.

    Of two packages that declare one name, ours gives way.
    """
    kinds: dict[str, type] = {}
    for entry in sorted(entry_points(group), key=is_third_party):
        try:
            kind = entry.load()
            if not isinstance(kind, type):
                raise BadPlugin(f"{entry.value} is no class")
        except (Exception, SystemExit) as error:
            report(entry.name, error)
            continue
        kinds[entry.name] = kind
    return kinds


def _load_resources(report: OnError) -> dict[str, type]:
    """Return the classes of all types, by name."""
    kinds: dict[str, type] = {}
    for entry in sorted(entry_points(RESOURCE_SETS), key=is_third_party):
        try:
            kinds |= entry.load()(report)
        except (Exception, SystemExit) as error:
            report(entry.name, error)
    return kinds | _load(RESOURCES, report)


def entry_points(
    group: str,
) -> list[importlib.metadata.EntryPoint]:
    """Return the entry points of a group; nothing is loaded."""
    # No names: we load them ourselves, because stevedore lets some errors
    # of a plug-in (AssertionError, SystemExit) out.
    return named.NamedExtensionManager[object](
        group, names=[]
    ).list_entry_points()


def is_third_party(entry: importlib.metadata.EntryPoint) -> bool:
    """Whether another package than ours declares it."""
    return not entry.value.startswith(_BUILT_IN)


def _log_error(name: str, error: BaseException) -> None:
    LOG.error(
        "the plug-in %s is left out: %s: %s",
        name,
        type(error).__name__,
        error,
    )
