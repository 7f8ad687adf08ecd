"""Opens the index that the configuration names."""

import importlib
import typing

from oslo_config import cfg

from orch import errors
from orch.search.index import port

_BACKENDS: typing.Final = {
    "sqlite": "orch.search.index.sqlite.index",
    "postgresql": "orch.search.index.shared.index",
    "mysql": "orch.search.index.shared.index",
    "opensearch": "orch.search.index.opensearch.index",
    "opensearchs": "orch.search.index.opensearch.index",
}
"""The module of each scheme: its ``from_url`` makes the index."""
_EXTRAS: typing.Final = {
    "opensearch": "search-opensearch",
    "opensearchs": "search-opensearch",
}
"""The extra of Orch that installs what a scheme needs."""


class Backend(typing.Protocol):
    """A module that provides an index."""

    def from_url(self, url: str, conf: cfg.ConfigOpts) -> port.Index:
        """Return the index at an address, not connected yet."""


def open_index(conf: cfg.ConfigOpts) -> port.Index:
    """Return the index of ``[search] connection``; not prepared yet.

    What keeps it is imported now, and nothing of the others.

    :raises orch.errors.Invalid: no index is named, none that we know, or one
        whose library is not there
    """
    url = conf.search.connection or _shared(conf.database.connection or "")
    scheme = url.partition(":")[0].partition("+")[0]
    if scheme == "tantivy":
        raise errors.Invalid(
            "[search] connection begins with tantivy+, and there is no index"
            " on Tantivy any more. Use sqlite:///FILE for one machine,"
            " postgresql://…, mysql://… or opensearch://… for several; it is"
            " filled again."
        )
    module = _BACKENDS.get(scheme)
    if module is None:
        raise errors.Invalid(
            "[search] connection names no index that we know: it begins with"
            " postgresql://, mysql://, sqlite:///, opensearch:// or"
            " opensearchs://."
        )
    try:
        backend = typing.cast(Backend, importlib.import_module(module))
    except ModuleNotFoundError as e:
        extra = _EXTRAS.get(scheme)
        package = f"orch[{extra}]" if extra else "it"
        raise errors.Invalid(
            f"[search] connection is of the kind {scheme}, which needs the"
            f" Python package {e.name}: install {package}."
        ) from e
    return backend.from_url(url, conf)


def _shared(url: str) -> str:
    """Return the address of the engine's database, where it may be used."""
    if url.startswith(("postgresql", "mysql")):
        return url
    raise errors.Invalid(
        "[search] connection is not set, and [database] connection is none"
        " of PostgreSQL, MariaDB or MySQL. Set where the index is to be"
        " stored, for instance connection = sqlite:////var/lib/orch/search.db."
    )
