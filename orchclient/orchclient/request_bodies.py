"""The bodies of requests that are shared by several nouns."""

import collections.abc
import typing

from orchclient import packaging

Body = dict[str, object]
Names = collections.abc.Sequence[str]


class RunRequest(typing.TypedDict, total=False):
    """How an operation runs.

    ``keep_going``: after a failure, finish all that does not depend on it.
    ``timeout_mins``: how long it may take.
    """

    keep_going: bool
    timeout_mins: int


class CreateRequest(RunRequest, total=False):
    """What a creation takes in addition to template and files.

    ``parameters`` count more than those of environments. ``files_container``:
    a container of the caller in Swift with more files. ``external_ids``: ids
    of physical resources that are adopted, by name of their resource; one in
    a child stack is named by its path, ``mid/leaf/b``. ``adopt_verify``:
    ``warn``, ``refuse`` or ``take``. ``adopt_owned``: adopt what another stack
    owns.
    """

    parameters: collections.abc.Mapping[str, object]
    files_container: str
    tags: Names
    disable_rollback: bool
    external_ids: collections.abc.Mapping[str, object]
    adopt_verify: str
    adopt_owned: bool


class AdoptRequest(CreateRequest, total=False):
    """What an adoption takes in addition to its document.

    ``adopt_missing``: ``fail`` or ``create``.
    """

    adopt_missing: str


class UpdateRequest(CreateRequest, total=False):
    """What an update takes in addition to template and files.

    ``existing``: what it does not name remains. ``clear_parameters``: names of
    those that get their default again. ``converge``: compare the observed
    state with the template; ``"strict"`` fails where it cannot be read.
    """

    existing: bool
    converge: bool | str
    clear_parameters: Names


class RetryRequest(RunRequest, total=False):
    """What a retry takes.

    ``skip``: resources that it leaves as they are. ``orphan``: resources whose
    physical resource it forgets; a path such as ``mid/leaf/t2`` names one in a
    child stack. ``converge``: compare what is complete with the observed
    state, too. ``replace``: resources that it creates again, even if their
    physical resources are usable by now.
    ``adopt_verify``: ``warn``, ``refuse`` or ``take``, instead of what the
    failed request said.
    """

    converge: bool | str
    skip: Names
    orphan: Names
    replace: Names
    adopt_verify: str


def creation_body(
    source: packaging.Package | None, request: CreateRequest
) -> Body:
    """Return the body of a creation, without the name."""
    return _combined(source, request_body(request))


def update_body(
    source: packaging.Package | None, request: UpdateRequest
) -> tuple[str, Body]:
    """Return method and body of an update.

    Without a source, and where ``existing`` says so, what the body does not
    name remains: a PATCH.
    """
    body = _combined(source, request_body(request))
    is_partial = bool(body.pop("existing", False)) or source is None
    return "PATCH" if is_partial else "PUT", body


def request_body(request: UpdateRequest | CreateRequest) -> Body:
    """Return the members of a body that a request sets."""
    body = without_absent(**request)
    if "tags" in body:
        # Heat takes a text only.
        body["tags"] = ",".join(request["tags"])
    return body


def retry_body(request: RetryRequest) -> Body:
    """Return the value of ``retry`` in a body."""
    return {
        key: each
        for key, each in without_absent(**request).items()
        if each != ()
    }


def without_absent(**values: object) -> Body:
    """Return the items that are not ``None``."""
    return {key: value for key, value in values.items() if value is not None}


def without_empty(**names: Names) -> Body:
    """Return the lists that are not empty."""
    return {key: list(each) for key, each in names.items() if each}


def _combined(source: packaging.Package | None, said: Body) -> Body:
    if source is None:
        return said
    parameters = said.get("parameters")
    if source.environment_files and isinstance(parameters, dict):
        said = {key: said[key] for key in said if key != "parameters"}
        source = source.with_parameters(parameters)
    return {**source.body(), **said}
