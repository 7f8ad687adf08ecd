"""Arguments for the contents of a stack."""

import argparse
import collections.abc
import pathlib
import re
import typing

from orchclient import errors
from orchclient import packaging
from orchclient import request_bodies
from orchclient.console import exit_codes

_GENERIC_NAMES: typing.Final = ("template", "stack", "main")


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of how an operation runs."""
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="after a failure, finish all that does not depend on it",
    )
    parser.add_argument(
        "--timeout-mins",
        type=int,
        metavar="MINUTES",
        help="how long the operation may take",
    )


def add_documents(parser: argparse.ArgumentParser) -> None:
    """Add environments and parameters, and where files are."""
    parser.add_argument(
        "-e",
        "--environment",
        action="append",
        metavar="FILE",
        help="environment, path or URL; the last counts most",
    )
    parser.add_argument(
        "-P",
        "--parameter",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="counts more than environments",
    )
    parser.add_argument(
        "--parameter-file",
        action="append",
        default=[],
        metavar="KEY=FILE",
        help="a parameter whose value is the content of a file",
    )
    parser.add_argument(
        "-s",
        "--files-container",
        metavar="CONTAINER",
        help="what template and environments include, and environments"
        " themselves, lie in this container of Swift, not here",
    )


def add_converge(parser: argparse.ArgumentParser) -> None:
    """Add ``--converge``."""
    parser.add_argument(
        "--converge",
        action="store_true",
        default=None,
        help="of an update or a retry: compare with the observed state",
    )
    parser.add_argument(
        "--converge-strict",
        dest="converge",
        action="store_const",
        const="strict",
        help="as --converge; fail if a physical resource cannot be read",
    )


def add_adoption(parser: argparse.ArgumentParser) -> None:
    """Add what is given where a stack is adopted from a document."""
    parser.add_argument(
        "--adopt-missing",
        choices=("fail", "create"),
        help="what to do where a physical resource is missing",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="show what would be done; nothing is",
    )
    add_inputs(parser)


def adoption_request(
    parsed_args: argparse.Namespace,
) -> request_bodies.AdoptRequest:
    """Return what was given by the arguments of :func:`add_adoption`.

    :raises orchclient.console.exit_codes.UsageError: an environment is given
    """
    if parsed_args.environment:
        raise exit_codes.UsageError(
            "The stack is adopted with its environment: leave out"
            " --environment."
        )
    request = typing.cast(request_bodies.AdoptRequest, {**inputs(parsed_args)})
    if parsed_args.adopt_missing:
        request["adopt_missing"] = parsed_args.adopt_missing
    return request


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Add environments, parameters and what else a stack is given."""
    add_documents(parser)
    parser.add_argument(
        "--tag",
        action="append",
        metavar="TAG",
        help="tag of the stack; give it again for more",
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--enable-rollback",
        action="store_true",
        default=None,
        help="after a failure, go back to what was",
    )
    group.add_argument(
        "--disable-rollback",
        action="store_false",
        dest="enable_rollback",
        help="after a failure, leave all as it is",
    )
    add_run_options(parser)
    _add_adoption(parser)


def _add_adoption(parser: argparse.ArgumentParser) -> None:
    """Add the ids of physical resources that are adopted."""
    parser.add_argument(
        "--adopt",
        action="append",
        default=[],
        metavar="NAME=ID",
        help="adopt this physical resource as resource NAME, which is not"
        " created; PATH/NAME for one in a child stack",
    )
    add_adopt_verify(parser)
    parser.add_argument(
        "--adopt-owned",
        action="store_true",
        help="adopt what another stack owns too",
    )


def add_adopt_verify(parser: argparse.ArgumentParser) -> None:
    """Add ``--adopt-verify``."""
    parser.add_argument(
        "--adopt-verify",
        choices=("warn", "refuse", "take"),
        help="what to do where an adopted physical resource differs from the"
        " template",
    )


def add_retry_options(parser: argparse.ArgumentParser) -> None:
    """Add what a retry may leave out."""
    parser.add_argument(
        "--skip",
        action="append",
        default=[],
        metavar="RESOURCE",
        help="leave this resource as it is, and count it as done; of a child"
        " stack by its path: mid/leaf/t2",
    )
    parser.add_argument(
        "--orphan",
        action="append",
        default=[],
        metavar="RESOURCE",
        help="forget the physical resource of this resource; it stays in"
        " the cloud; a path, too",
    )
    parser.add_argument(
        "--replace",
        action="append",
        default=[],
        metavar="RESOURCE",
        help="create this resource again, even if its physical resource is"
        " usable by now",
    )


def run_request(parsed: argparse.Namespace) -> request_bodies.RunRequest:
    """Return how an operation is to run."""
    request = request_bodies.RunRequest()
    if parsed.keep_going:
        request["keep_going"] = True
    if parsed.timeout_mins is not None:
        request["timeout_mins"] = parsed.timeout_mins
    return request


def retry_request(parsed: argparse.Namespace) -> request_bodies.RetryRequest:
    """Return what a retry takes."""
    request = typing.cast(request_bodies.RetryRequest, {**run_request(parsed)})
    if parsed.skip:
        request["skip"] = parsed.skip
    if parsed.orphan:
        request["orphan"] = parsed.orphan
    if parsed.replace:
        request["replace"] = parsed.replace
    if getattr(parsed, "converge", None):
        request["converge"] = parsed.converge
    if getattr(parsed, "adopt_verify", None):
        request["adopt_verify"] = parsed.adopt_verify
    return request


def parameters(parsed: argparse.Namespace) -> dict[str, object]:
    """Return the parameters that are given, by name.

    :raises orchclient.console.exit_codes.UsageError: one has no value
    :raises orchclient.errors.PackagingError: its file cannot be read
    """
    found = parse_pairs(parsed.parameter)
    for key, file in map(_pair, parsed.parameter_file):
        found[key] = read_file_text(file)
    return found


def parse_pairs(given: collections.abc.Iterable[str]) -> dict[str, object]:
    """Return what ``KEY=VALUE`` says, one by one.

    :raises orchclient.console.exit_codes.UsageError: one has no value
    """
    return dict(map(_pair, given))


def inputs(parsed: argparse.Namespace) -> request_bodies.CreateRequest:
    """Return what a stack is given beside its documents.

    :raises orchclient.console.exit_codes.UsageError: a parameter has no value
    :raises orchclient.errors.PackagingError: its file cannot be read
    """
    request = typing.cast(
        request_bodies.CreateRequest, {**run_request(parsed)}
    )
    if found := parameters(parsed):
        request["parameters"] = found
    if parsed.files_container is not None:
        request["files_container"] = parsed.files_container
    if parsed.tag:
        request["tags"] = parsed.tag
    if parsed.enable_rollback is not None:
        request["disable_rollback"] = not parsed.enable_rollback
    if parsed.adopt:
        request["external_ids"] = parse_pairs(parsed.adopt)
    if parsed.adopt_verify:
        request["adopt_verify"] = parsed.adopt_verify
    if parsed.adopt_owned:
        request["adopt_owned"] = True
    return request


def update_inputs(parsed: argparse.Namespace) -> request_bodies.UpdateRequest:
    """Return what an update is given beside its documents."""
    request = typing.cast(request_bodies.UpdateRequest, {**inputs(parsed)})
    if parsed.existing:
        request["existing"] = True
    if parsed.converge:
        request["converge"] = parsed.converge
    if parsed.clear_parameter:
        request["clear_parameters"] = parsed.clear_parameter
    return request


def package_of(parsed: argparse.Namespace, source: str) -> packaging.Package:
    """Return the template of a file, a URL or a directory, to be sent.

    What it includes is there too, unless that lies in a container.
    """
    environments = parsed.environment
    if parsed.files_container is not None:
        return packaging.package_alone(source, environments or ())
    if "://" not in source and pathlib.Path(source).is_dir():
        return packaging.from_directory(source, environments)
    return packaging.collect_package(source, environments or ())


def read_file_text(file: str) -> str:
    """Return the content of a file.

    :raises orchclient.errors.PackagingError: it cannot be read, or is no text
    """
    try:
        return pathlib.Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise errors.PackagingError(file, f"{error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise errors.PackagingError(
            file, "This is no text in UTF-8."
        ) from error


def stack_name_of(source: str) -> str:
    """Return the name of a stack by its source, unless one is given.

    That is the name of the file, or of its directory where the file is only
    called a template.

    :raises orchclient.console.exit_codes.UsageError: that makes no name
    """
    if "://" in source:
        path = pathlib.PurePosixPath(source.split("://", 1)[1])
        name = (
            path.stem if path.stem not in _GENERIC_NAMES else path.parent.name
        )
    else:
        place = pathlib.Path(source).resolve()
        is_plain = place.is_dir() or place.stem in _GENERIC_NAMES
        directory = place if place.is_dir() else place.parent
        name = directory.name if is_plain else place.stem
    found = re.sub(r"[^A-Za-z0-9_.-]+", "-", name)
    if not re.match(r"[A-Za-z]", found):
        raise exit_codes.UsageError(
            f"{source} makes no stack's name: give --name."
        )
    return found


def _pair(words: str) -> tuple[str, str]:
    key, sign, value = words.partition("=")
    if not sign or not key:
        raise exit_codes.UsageError(f"{words!r} must be KEY=VALUE.")
    return key, value
