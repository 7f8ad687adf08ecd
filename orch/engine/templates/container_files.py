"""Read template files from an object store container of the caller."""

import collections.abc

import requests

from orch import errors
from orch.clients import object_store
from orch.clients import rest
from orch.context import request
from orch.engine import dependencies
from orch.engine import plugin_reads


class ContainerNotFound(errors.NotFound):
    """The caller has no such container, or may not read it."""

    code = "orch.files_container.not_found"


class ContainerTooLarge(errors.LimitExceeded):
    """The files of a container are more than a request may have."""

    shown_as = "DownloadLimitExceeded"

    code = "orch.files_container.too_large"


def read_container(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    container: str,
    without: collections.abc.Collection[str],
    max_bytes: int,
) -> dict[str, str]:
    """Return the files of a container, name to text.

    The token of the request is used.

    :param without: names of files to omit
    :param max_bytes: limit of all files together; -1 for no limit
    :raises ContainerNotFound: the caller has no such container
    :raises ContainerTooLarge: its files are too large
    :raises orch.errors.NotSupported: the cloud has no object store
    :raises orch.errors.Unavailable: it does not answer now
    :raises orch.plugin.clouds.NoCloud: no cloud is configured
    """

    def work() -> dict[str, str]:
        store = object_store.ObjectStore(deps.callers.connect_for(ctxt))
        return store.read_texts(container, without, max_bytes)

    failed = f"Could not fetch files from container {container}"
    try:
        return deps.reads.begin().run(work)
    except object_store.TooLarge as error:
        raise ContainerTooLarge(f"Request limit exceeded: {error}") from error
    except rest.CloudRefused as error:
        raise ContainerNotFound(f"{failed}, reason: {error}") from error
    except rest.NoService as error:
        raise errors.NotSupported(f"{failed}: {error}") from error
    except plugin_reads.ReadFailed as error:
        raise errors.Unavailable(f"{failed} in time.") from error
    except (errors.Transient, errors.Busy, requests.RequestException) as error:
        raise errors.Unavailable(f"{failed}: {error}") from error
