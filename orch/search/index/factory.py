"""Opens the index that the configuration names."""

import collections.abc
import importlib
import types
import typing

from oslo_config import cfg

from orch import errors
from orch.search.index import port

_Opened = typing.TypeVar("_Opened", covariant=True)

_INDEXES: typing.Final = {
    "sqlite": "orch.search.index.sqlite.index",
    "postgresql": "orch.search.index.shared.index",
    "mysql": "orch.search.index.shared.index",
    "opensearch": "orch.search.index.opensearch.index",
    "opensearchs": "orch.search.index.opensearch.index",
}
_STORES: typing.Final = {
    "sqlite": "orch.search.index.shared.saved",
    "postgresql": "orch.search.index.shared.saved",
    "mysql": "orch.search.index.shared.saved",
    "opensearch": "orch.search.index.opensearch.saved",
    "opensearchs": "orch.search.index.opensearch.saved",
}
"""The module of each scheme: its ``from_url`` makes the index, or the store
of saved searches."""
_EXTRAS: typing.Final = {
    "opensearch": "search-opensearch",
    "opensearchs": "search-opensearch",
}
"""The extra of Orch that installs what a scheme needs."""


class Backend(typing.Protocol[_Opened]):
    """A module that provides an index, or a store."""

    def from_url(self, url: str, conf: cfg.ConfigOpts) -> _Opened:
        """Return what is at an address, not connected yet."""


def open_index(conf: cfg.ConfigOpts) -> port.Index:
    """Return the index of ``[search] connection``; not prepared yet.

    What keeps it is imported now, and nothing of the others.

    :raises orch.errors.Invalid: no index is named, none that we know, or one
        whose library is not there
    """
    url, module = _import_backend(conf, _INDEXES)
    return typing.cast(Backend[port.Index], module).from_url(url, conf)


def open_saved_store(conf: cfg.ConfigOpts) -> port.SavedStore:
    """Return the store of saved searches, where the index is.

    :raises orch.errors.Invalid: as :func:`open_index`
    """
    url, module = _import_backend(conf, _STORES)
    return typing.cast(Backend[port.SavedStore], module).from_url(url, conf)


def _import_backend(
    conf: cfg.ConfigOpts, modules: collections.abc.Mapping[str, str]
) -> tuple[str, types.ModuleType]:
    url = conf.search.connection or _shared(conf.database.connection or "")
    scheme = url.partition(":")[0].partition("+")[0]
    if scheme == "tantivy":
        raise errors.Invalid(
            "[search] connection begins with tantivy+, and there is no index"
            " on Tantivy any more. Use sqlite:///FILE for one machine,"
            " postgresql://…, mysql://… or opensearch://… for several; it is"
            " filled again."
        )
    module = modules.get(scheme)
    if module is None:
        raise errors.Invalid(
            "[search] connection names no index that we know: it begins with"
            " postgresql://, mysql://, sqlite:///, opensearch:// or"
            " opensearchs://."
        )
    try:
        return url, importlib.import_module(module)
    except ModuleNotFoundError as e:
        extra = _EXTRAS.get(scheme)
        package = f"orch[{extra}]" if extra else "it"
        raise errors.Invalid(
            f"[search] connection is of the kind {scheme}, which needs the"
            f" Python package {e.name}: install {package}."
        ) from e


def _shared(url: str) -> str:
    """Return the address of the engine's database, where it may be used."""
    if url.startswith(("postgresql", "mysql")):
        return url
    raise errors.Invalid(
        "[search] connection is not set, and [database] connection is none"
        " of PostgreSQL, MariaDB or MySQL. Set where the index is to be"
        " stored, for instance connection = sqlite:////var/lib/orch/search.db."
    )
