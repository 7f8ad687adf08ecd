"""Find the plug-ins of workers and templates by their entry points.

A plug-in that cannot be loaded is reported and left out. Whatever it raises,
the worker goes on with the others.
"""

import collections.abc
import dataclasses
import functools
import importlib.metadata
import threading
import typing

from oslo_config import cfg
from oslo_log import log
from stevedore import named

from orch import errors
from orch.plugin import declared_types
from orch.plugin import facts
from orch.plugin import resource
from orch.plugin import schema_only
from orch.plugin import type_files

LOG = log.getLogger(__name__)

RESOURCES: typing.Final = "orch.resources"
RESOURCE_SETS: typing.Final = "orch.resource_sets"
"""Each entry point names a function that returns types
(:class:`orch.plugin.declared_types.DeclaredType`) by name, which data
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
_PASSING: typing.Final = (OSError, MemoryError)
"""Errors that another attempt to load a type may not meet."""
_LASTING: typing.Final = (
    FileNotFoundError,
    NotADirectoryError,
    PermissionError,
)
"""Those of them that only an installation mends."""

OnError = collections.abc.Callable[[str, BaseException], None]
"""Called for each plug-in that was left out: its name, and why."""
Prepare = collections.abc.Callable[[resource.Resource], None]
"""Called for each plug-in before its first use."""
Declared = dict[str, declared_types.DeclaredType]
"""Types by name."""


class BadPlugin(errors.OrchError):
    """An entry point does not lead to a plug-in of its kind."""

    code = "orch.plugin.bad"


class UnknownType(errors.NotFound):
    """No plug-in serves a resource type, or it is switched off.

    It may still be known by its schema.
    """

    code = "orch.resource_type.unknown"


class TypeUnavailable(errors.Unavailable, errors.Transient):
    """A resource type cannot be loaded now; later it may be."""

    code = "orch.resource_type.unavailable"


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
    """The resource types of this process, one instance a type.

    A type of ours is loaded at its first use, one of another package at once,
    so that its errors show at the start. May be used from several threads.
    """

    def __init__(
        self, conf: cfg.ConfigOpts, on_error: OnError | None = None
    ) -> None:
        """Find all types that the installed packages declare.

        Types that act on the worker's machine are left out unless
        ``[local] enabled`` is true.

        :param conf: the options, with all groups registered; the plug-ins
            get them too
        :param on_error: told of each plug-in that is left out; ``None``
            writes it to the log
        """
        report = on_error or _log_error
        self._begin(
            conf,
            report,
            _declare_resources(report),
            declare_types(KNOWN_TYPES, schema_only.load_type, report),
        )

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
        declared = {
            kind.type_name: declared_types.DeclaredType.of_class(kind)
            for kind in kinds
        }
        types._begin(conf, _raise_error, declared, {})
        return types

    def _begin(
        self,
        conf: cfg.ConfigOpts,
        report: OnError,
        served: Declared,
        known: Declared,
    ) -> None:
        """Keep what there is, and load what is not ours."""
        self._conf = conf
        self._report = report
        self._passing: tuple[type[Exception], ...] = ()
        self._left_out: set[str] = set()
        self._lock = threading.RLock()
        self._preparations: list[Prepare] = []
        self._switched_off = {
            name for name, each in served.items() if not self._may_act(each)
        }
        self._served = {
            name: each
            for name, each in served.items()
            if name not in self._switched_off
        }
        self._known = dict(known)
        self._plugins: dict[str, resource.Resource] = {}
        self._schemas: dict[str, resource.Resource] = {}
        for name, each in served.items():
            if each.is_loaded and name in self._served:
                self._find_served(name)
        self._passing = _PASSING

    def find(self, type_name: str) -> resource.Resource | None:
        """Return a served or schema-only type; ``None`` if it is unknown.

        That may be no more than its schema: see
        :attr:`orch.plugin.traits.Traits.is_schema_only`.

        :raises TypeUnavailable: it cannot be loaded now
        """
        return self._find_served(type_name) or self._find(
            type_name, self._known, self._schemas
        )

    def get(self, type_name: str) -> resource.Resource:
        """Return the plug-in that serves a type.

        :raises UnknownType: there is none here
        :raises TypeUnavailable: it cannot be loaded now
        """
        found = self._find_served(type_name)
        if found is None:
            raise UnknownType(self._explain(type_name))
        return found

    def names(self) -> list[str]:
        """Return the names of all types but variants, sorted."""
        return list(self.support_statuses())

    def support_statuses(self) -> dict[str, str]:
        """Return the support status of all types but variants, by name.

        Nothing is loaded. The names are sorted.
        """
        with self._lock:
            declared = {**self._known, **self._served}
        return {
            name: each.support_status
            for name, each in sorted(declared.items())
            if not each.is_variant
        }

    def find_like(self, type_name: str) -> str:
        """Return the type that a served one is an older name of, or ``""``."""
        with self._lock:
            found = self._served.get(type_name)
        return found.like if found else ""

    def served(self) -> list[resource.Resource]:
        """Return the plug-ins of all types that are served; load them."""
        with self._lock:
            names = list(self._served)
        return [each for each in map(self._find_served, names) if each]

    def prepare(self, prepare: Prepare) -> None:
        """Call a function once for each plug-in, before its first use."""
        with self._lock:
            self._preparations.append(prepare)
            for plugin in self._plugins.values():
                prepare(plugin)

    def _find_served(self, name: str) -> resource.Resource | None:
        return self._find(name, self._served, self._plugins)

    def _find(
        self,
        name: str,
        declared: Declared,
        loaded: dict[str, resource.Resource],
    ) -> resource.Resource | None:
        """Return a type, loaded if need be; ``None`` if it cannot be."""
        if name in loaded:
            return loaded[name]
        with self._lock:
            if name in declared and name not in loaded:
                try:
                    plugin = self._build(name, declared[name].load())
                except (Exception, SystemExit) as error:
                    is_passing = isinstance(error, self._passing)
                    if is_passing and not isinstance(error, _LASTING):
                        raise TypeUnavailable(
                            f"the resource type {name} cannot be loaded now:"
                            f" {type(error).__name__}: {error}"
                        ) from error
                    replaced = declared.pop(name).replaces
                    self._left_out.add(name)
                    self._report(name, error)
                    if replaced is not None and self._may_act(replaced):
                        declared[name] = replaced
                        return self._find(name, declared, loaded)
                else:
                    loaded[name] = plugin
            return loaded.get(name)

    def _may_act(self, declared: declared_types.DeclaredType) -> bool:
        return not declared.is_local or bool(self._conf.local.enabled)

    def _build(self, name: str, kind: type) -> resource.Resource:
        check_class(name, kind)
        plugin: resource.Resource = kind(self._conf)
        for prepare in self._preparations:
            prepare(plugin)
        return plugin

    def _explain(self, type_name: str) -> str:
        if type_name in self._switched_off:
            return (
                f"the resource type {type_name} acts on the worker's machine"
                " and is switched off; the operator may allow it by"
                " [local] enabled"
            )
        if type_name in self._left_out:
            return (
                f"the plug-in of the resource type {type_name} cannot be"
                " loaded; the log of the worker has the cause"
            )
        return (
            f"no plug-in serves the resource type {type_name}; install its"
            " package on all workers"
        )


def load_plugins(
    group: str, on_error: OnError | None = None
) -> collections.abc.Mapping[str, type]:
    """Return the classes of an entry point group, by name.

    Of two packages that declare one name, ours gives way.

    :param on_error: told of each one that is left out; ``None`` writes it
        to the log
    """
    kinds: dict[str, type] = {}
    for entry in sorted(entry_points(group), key=is_third_party):
        try:
            kinds[entry.name] = _load_class(entry)
        except (Exception, SystemExit) as error:
            (on_error or _log_error)(entry.name, error)
    return kinds


def declare_types(
    group: str,
    load: collections.abc.Callable[[str, str], type[resource.Resource]],
    report: OnError,
) -> Declared:
    """Return the types in the JSON files of the packages of a group, by name.

    Of two packages that declare one name, ours gives way. Types of others are
    loaded.

    :param load: returns the class of a type of a package, by both names
    :param report: called for each package, file and type that is left out
    """
    found: Declared = {}
    for entry in sorted(entry_points(group), key=is_third_party):
        for name, written in _read_package(entry.module, report).items():
            try:
                declared = declared_types.DeclaredType.of_facts(
                    functools.partial(load, name, entry.module),
                    facts.check_mapping(written),
                )
                if is_third_party(entry):
                    declared = dataclasses.replace(
                        declared_types.DeclaredType.of_class(declared.load()),
                        like=declared.like,
                    )
            except (Exception, SystemExit) as error:
                report(name, error)
            else:
                found[name] = dataclasses.replace(
                    declared, replaces=found.get(name)
                )
    return found


def _read_package(package: str, report: OnError) -> dict[str, object]:
    """Return the facts of all types of a package, by name."""
    found: dict[str, object] = {}
    try:
        files = type_files.list_files(package)
    except (Exception, SystemExit) as error:
        report(package, error)
        return found
    for file in files:
        try:
            found = {**type_files.read_file(file), **found}
        except Exception as error:
            report(str(file), error)
    found.pop(type_files.SERVICE, None)
    return found


def check_class(name: str, kind: type) -> None:
    """Raise BadPlugin unless a class serves the type of this name."""
    if not issubclass(kind, resource.Resource):
        raise BadPlugin(f"{kind.__qualname__} is no plugin.Resource")
    if kind.type_name != name:
        raise BadPlugin(
            f"{kind.__qualname__} says it is {kind.type_name}; give its"
            " entry point that name"
        )


def _load_class(entry: importlib.metadata.EntryPoint) -> type:
    kind = entry.load()
    if not isinstance(kind, type):
        raise BadPlugin(f"{entry.value} is no class")
    return kind


def _declare_resources(report: OnError) -> Declared:
    """Return all types that plug-ins serve; those of others are loaded."""
    found: Declared = {}
    for entry in sorted(entry_points(RESOURCE_SETS), key=is_third_party):
        try:
            added = entry.load()(report)
            found |= {
                name: dataclasses.replace(
                    each, replaces=each.replaces or found.get(name)
                )
                for name, each in added.items()
            }
        except (Exception, SystemExit) as error:
            report(entry.name, error)
    read = functools.cache(functools.partial(_read_package, report=report))
    for entry in sorted(entry_points(RESOURCES), key=is_third_party):
        try:
            found[entry.name] = dataclasses.replace(
                _declare_class(entry, read), replaces=found.get(entry.name)
            )
        except (Exception, SystemExit) as error:
            report(entry.name, error)
    return found


def _declare_class(
    entry: importlib.metadata.EntryPoint,
    read: collections.abc.Callable[[str], facts.Facts],
) -> declared_types.DeclaredType:
    """Return the type of a class; it is loaded unless data describe it.

    :param read: returns the facts of all types of a package
    """
    if not is_third_party(entry):
        described = read(entry.module.rpartition(".")[0])
        if entry.name in described:
            return declared_types.DeclaredType.of_facts(
                functools.partial(_load_class, entry),
                facts.check_mapping(described[entry.name]),
            )
    kind = _load_class(entry)
    check_class(entry.name, kind)
    return declared_types.DeclaredType.of_class(kind)


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


def _raise_error(name: str, error: BaseException) -> None:
    raise error
