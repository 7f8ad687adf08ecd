"""The properties of ``Orch::HTTP::Resource``."""

import collections.abc
import typing

from orch.model import marked
from orch.plugin import schema
from orch.resources.http import client

Map = collections.abc.Mapping[str, object]

_MODIFY = schema.OnUpdate.MODIFY
_MAX_POINTERS: typing.Final = 100
"""Each is looked for at each key of a body."""
_METHODS: typing.Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
_MEANT: typing.Final = client.ErrorStatuses()
_BODY_TEXT: typing.Final = (
    "Sent as JSON. In its texts {token} is replaced by a text that is the"
    " same in every attempt to create this resource and in no other, {name}"
    " by a readable unique name"
)
_HEADERS = schema.Property(
    "headers",
    schema.Type.MAP,
    "Additional headers of this request.",
    default={},
    on_update=_MODIFY,
)
_STATUSES = schema.Property(
    "statuses",
    schema.Type.LIST,
    "Statuses that count as success; 200 to 299 when none is given.",
    default=[],
    on_update=_MODIFY,
    items=schema.Property("*", schema.Type.INTEGER),
)


def _method(default: str) -> schema.Property:
    return schema.Property(
        "method",
        schema.Type.STRING,
        "Method of the request.",
        default=default,
        on_update=_MODIFY,
        constraints=(schema.AllowedValues(values=_METHODS),),
    )


def _path(text: str, default: object = None) -> schema.Property:
    return schema.Property(
        "path", schema.Type.STRING, text, default=default, on_update=_MODIFY
    )


def _body(ending: str) -> schema.Property:
    return schema.Property(
        "body",
        schema.Type.ANY,
        f"{_BODY_TEXT}{ending}.",
        on_update=_MODIFY,
    )


_ID_POINTER = schema.Property(
    "id_pointer",
    schema.Type.STRING,
    "JSON pointer to the id in the answer, such as /server/id.",
    default="/id",
    on_update=_MODIFY,
)
_BELOW: typing.Final = (
    "Path below url, {id} for the id; the path of create with /{id} behind"
    " it when it is not given."
)

CREATE = schema.Property(
    "create",
    schema.Type.MAP,
    "The request that creates it. It has the header Idempotency-Key.",
    required=True,
    fields=(
        _method("POST"),
        _path("Path below url; may hold {token} and {name}.", ""),
        _body(""),
        _HEADERS,
        _STATUSES,
        _ID_POINTER,
        schema.Property(
            "id",
            schema.Type.STRING,
            "The id, where the caller chooses it (with PUT, say): a text"
            " with {token} or {name}. Then id_pointer is ignored.",
        ),
        schema.Property(
            "is_idempotent",
            schema.Type.BOOLEAN,
            "Whether the service makes nothing new when a request comes again"
            " with the same Idempotency-Key. Then an attempt whose answer was"
            " lost is repeated.",
            default=False,
        ),
    ),
)
READ = schema.Property(
    "read",
    schema.Type.MAP,
    "The request that shows it.",
    on_update=_MODIFY,
    fields=(_method("GET"), _path(_BELOW), _HEADERS, _STATUSES),
)
LIST = schema.Property(
    "list",
    schema.Type.MAP,
    "The request (GET, with the headers and statuses of read) that shows it"
    " among others, each as read does. Many resources are read by it at"
    " once; what it does not show, or shows otherwise than expected, is read"
    " by itself.",
    on_update=_MODIFY,
    fields=(
        _path(
            "Path below url; that of create, up to its first placeholder, by"
            " default."
        ),
        schema.Property(
            "pointer",
            schema.Type.STRING,
            "JSON pointer to the list in the answer; the whole answer by"
            " default.",
            default="",
            on_update=_MODIFY,
        ),
        schema.Property(
            "id_pointer",
            schema.Type.STRING,
            "JSON pointer to the id in an entry of the list.",
            default="/id",
            on_update=_MODIFY,
        ),
        schema.Property(
            "next_pointer",
            schema.Type.STRING,
            "JSON pointer to the URL of the next page in the answer, which"
            " has to be below url; one page when it is not given.",
            on_update=_MODIFY,
        ),
    ),
)
UPDATE = schema.Property(
    "update",
    schema.Type.MAP,
    "The request that changes it; it is sent when this property changes, and"
    " may be sent again after a crash. It has the header Idempotency-Key.",
    on_update=_MODIFY,
    fields=(
        _method("PUT"),
        _path(_BELOW),
        _body(", and {id} for the id"),
        _HEADERS,
        _STATUSES,
    ),
)


def _pointers(name: str, text: str) -> schema.Property:
    return schema.Property(
        name,
        schema.Type.LIST,
        text,
        default=[],
        on_update=_MODIFY,
        items=schema.Property("*", schema.Type.STRING),
        constraints=(schema.Length(maximum=_MAX_POINTERS),),
    )


COMPARISON = schema.Property(
    "comparison",
    schema.Type.MAP,
    "How the body of update, or of create where that is not given, is"
    " compared with what read shows. Without it a value that read does not"
    " show counts as unchanged, and a key that only read shows is ignored.",
    on_update=_MODIFY,
    fields=(
        _pointers(
            "exact_pointers",
            "JSON pointers into the body, such as /labels, or an empty text"
            " for all of it, to maps that have to have exactly the keys that"
            " were sent, as have all maps in them.",
        ),
        _pointers(
            "ignored_pointers",
            "JSON pointers into the body, such as /replicas, to values that"
            " are not compared. When update is sent it has what read shows"
            " there.",
        ),
    ),
)
DELETE = schema.Property(
    "delete",
    schema.Type.MAP,
    "The request that removes it; 404 and 410 count as success.",
    on_update=_MODIFY,
    fields=(
        _method("DELETE"),
        _path(_BELOW),
        _body(", and {id} for the id"),
        _HEADERS,
        _STATUSES,
        schema.Property(
            "wait_until_gone",
            schema.Type.BOOLEAN,
            "Whether it is gone only once read answers 404 or 410.",
            default=False,
            on_update=_MODIFY,
        ),
    ),
)
FIND = schema.Property(
    "find",
    schema.Type.MAP,
    "The request that finds what a lost attempt made, by {token}, which the"
    " body or path of create put there. Of a list only entries count that"
    " show it, or that read shows with it.",
    on_update=_MODIFY,
    fields=(
        _method("GET"),
        _path("Path below url, with {token} in it."),
        _HEADERS,
        _STATUSES,
        schema.Property(
            "id_pointer",
            schema.Type.STRING,
            "JSON pointer to the id in the answer, such as /servers/0/id; no"
            " value there means that there is nothing.",
            default="/0/id",
            on_update=_MODIFY,
        ),
    ),
)


def _rest(name: str, what: str, once: str) -> schema.Property:
    return schema.Property(
        name,
        schema.Type.MAP,
        f"The request that {what}; it may be sent again after a crash."
        " Without it, the resource is left as it is.",
        on_update=_MODIFY,
        fields=(
            _method("POST"),
            _path(_BELOW),
            _body(", and {id} for the id"),
            _HEADERS,
            _STATUSES,
            schema.Property(
                "pointer",
                schema.Type.STRING,
                "JSON pointer to the value in the answer of read that shows"
                " completion; complete at once when it is not given.",
                on_update=_MODIFY,
            ),
            schema.Property(
                "value",
                schema.Type.ANY,
                f"Its value once {once}.",
                on_update=_MODIFY,
            ),
        ),
    )


SUSPEND = _rest("suspend", "puts it to rest", "it rests")
RESUME = _rest("resume", "wakes it", "it is awake")
READY = schema.Property(
    "ready",
    schema.Type.MAP,
    "How to find out that it is usable, after it was made or changed and when"
    " it is checked; at once when this is not given.",
    on_update=_MODIFY,
    fields=(
        _path("Path below url, {id} for the id; that of read by default."),
        schema.Property(
            "pointer",
            schema.Type.STRING,
            "JSON pointer to the value that shows it, such as /status.",
            required=True,
            on_update=_MODIFY,
        ),
        schema.Property(
            "value",
            schema.Type.ANY,
            "Its value once it is usable.",
            required=True,
            on_update=_MODIFY,
        ),
        schema.Property(
            "failed_value",
            schema.Type.ANY,
            "Its value when it will never be.",
            on_update=_MODIFY,
        ),
    ),
)
TLS = schema.Property(
    "tls",
    schema.Type.MAP,
    "How the certificate of the service is checked.",
    on_update=_MODIFY,
    fields=(
        schema.Property(
            "verify",
            schema.Type.BOOLEAN,
            "Whether it is checked at all.",
            default=True,
            on_update=_MODIFY,
        ),
        schema.Property(
            "ca_cert",
            schema.Type.STRING,
            "Certificates to trust instead of the usual ones, in PEM form.",
            on_update=_MODIFY,
        ),
        schema.Property(
            "ca_file",
            schema.Type.STRING,
            "Name of a file of such certificates, in the directory that the"
            " operator has set for them ([http_resource] ca_dir).",
            on_update=_MODIFY,
        ),
    ),
)


def _kind(
    name: str, text: str, statuses: collections.abc.Collection[int]
) -> schema.Property:
    return schema.Property(
        name,
        schema.Type.LIST,
        f"Statuses that say {text}.",
        default=list(statuses),
        on_update=_MODIFY,
        items=schema.Property("*", schema.Type.INTEGER),
    )


ERROR_STATUSES = schema.Property(
    "error_statuses",
    schema.Type.MAP,
    "The meaning of statuses that are no success. Any other from 500 on is"
    " temporary, and any other below is a permanent refusal.",
    default={},
    on_update=_MODIFY,
    fields=(
        _kind("passing", "that it may succeed later", _MEANT.passing),
        _kind("busy", "that another action on it is in progress", _MEANT.busy),
        _kind("quota", "that a quota is used up", _MEANT.quota),
    ),
)
URL = schema.Property(
    "url",
    schema.Type.STRING,
    "The service, such as https://dns.example.org/v2.",
    required=True,
)
HEADERS = schema.Property(
    "headers",
    schema.Type.MAP,
    "Headers of all requests, such as Authorization.",
    default={},
    on_update=_MODIFY,
)
_LOOKUP: typing.Final = (HEADERS, READ, LIST, FIND, READY, ERROR_STATUSES, TLS)
_LOOKUP_FIELDS: typing.Final = ("is_idempotent", "id_pointer")


def renew_lookup(before: Map, after: Map) -> Map:
    """Return properties in which those that only look have newer values.

    :param before: those that the creation was begun with
    :param after: those that are desired now
    """
    names = [each.name for each in _LOOKUP]
    renewed = {name: after[name] for name in names if name in after}
    create = _renew_fields(before.get(CREATE.name), after.get(CREATE.name))
    if create is not None:
        renewed[CREATE.name] = create
    kept = {name: before[name] for name in before if name not in names}
    marks = (
        path for values in (before, after) for path in marked.paths_of(values)
    )
    return marked.Marked({**kept, **renewed}, marks)


def _renew_fields(before: object, after: object) -> Map | None:
    """Return how it is created, with newer values of how that is repeated.

    :returns: ``None`` where one of the two is not known
    """
    if not isinstance(before, collections.abc.Mapping) or not isinstance(
        after, collections.abc.Mapping
    ):
        return None
    return {
        **before,
        **{name: after[name] for name in _LOOKUP_FIELDS if name in after},
    }
