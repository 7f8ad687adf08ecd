"""What describes a stack, and how an operation on it runs."""

import typing


class StackInputs(typing.TypedDict, total=False):
    """What describes a stack; every key may be missing.

    ``template``: map or text. ``environment``: map or text. ``parameters``:
    map. ``files``: name to text. ``environment_files``: names in ``files``,
    in the order in which they are merged.
    """

    template: object
    environment: object
    parameters: dict[str, object]
    files: dict[str, str]
    environment_files: list[str]


class AdoptionOptions(typing.TypedDict, total=False):
    """How physical resources are taken over; keys may be missing.

    ``verify``: ``refuse``, ``warn`` (by default) or ``take``: what becomes
    of those that are not as the template says. ``creates_missing``: what has
    no id is made; false by default, then its adoption fails. ``allows_owned``:
    things that another stack owns are taken as well.
    """

    verify: str
    creates_missing: bool
    allows_owned: bool


class StackOptions(typing.TypedDict, total=False):
    """How an operation runs; every key may be missing.

    ``timeout_mins``: whole minutes, missing or 0 for the default.
    ``disable_rollback``: true by default. ``keep_going``: finish independent
    branches after a failure, false by default. Of updates alone:
    ``existing``: what the request does not name stays as it is stored;
    ``clear_parameters``: stored values that go back to their defaults;
    ``converge``: what is there is to be compared with the template first, and
    where it is ``strict`` the update fails if that cannot be read;
    ``external_ids``: physical ids of things that stand already and are taken
    over, by name of a resource that is not there yet, and ``adoption``, how.
    Of previews of updates alone: ``show_nested``, resources of inner stacks
    are told of too.

    With ``retry`` every method goes on with its action, which must have
    failed; the request then bears no inputs. ``converge`` holds for the retry
    of a creation, too. Of retries alone: ``skip``, ``orphan`` and
    ``replace``, names of resources that are not complete, or paths such as
    ``mid/leaf/t2`` of those in child stacks: the first stay as they are and
    count as done, the physical resources of the second are left behind and
    forgotten, the third are created again.
    """

    timeout_mins: int | None
    disable_rollback: bool
    keep_going: bool
    converge: bool | str
    tags: list[str]
    existing: bool
    clear_parameters: list[str]
    external_ids: dict[str, object]
    show_nested: bool
    adoption: AdoptionOptions
    retry: bool
    skip: list[str]
    orphan: list[str]
    replace: list[str]


CONVERGE_STRICT: typing.Final = "strict"
"""Value of ``converge``."""
NO_OPTIONS: typing.Final[StackOptions] = {}
"""Options of an operation that runs as it does by default."""
