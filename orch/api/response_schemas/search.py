"""Answers about search; made by ``views.search`` and ``views.searchlight``."""

import typing

from orch.api.response_schemas import declared
from orch.api.response_schemas import shapes
from orch.rpc import contract

_NUMBER: typing.Final[shapes.Schema] = {"type": "number"}
_NULLABLE_NUMBER: typing.Final[shapes.Schema] = {"type": ["number", "null"]}
_VALUES: typing.Final = shapes.map_of(
    {"type": "array", "items": {"type": ["string", "number", "boolean"]}}
)
_HIGHLIGHTS: typing.Final = shapes.map_of(shapes.TEXTS)
_BUCKETS: typing.Final = shapes.many(
    shapes.members({"key": shapes.TEXT, "doc_count": shapes.COUNT})
)
_NUMBERS: typing.Final[dict[str, shapes.Schema]] = {
    "count": shapes.COUNT,
    "min": _NULLABLE_NUMBER,
    "max": _NULLABLE_NUMBER,
    "avg": _NULLABLE_NUMBER,
    "sum": _NUMBER,
}

_DOCUMENT: typing.Final[dict[str, shapes.Schema]] = {
    **dict.fromkeys(
        (
            *("id", "kind", "name", "path", "type", "project_id"),
            *("stack_id", "root_id", "physical_id", "owner", "action"),
            *("status", "reason", "description", "drift"),
        ),
        shapes.TEXT,
    ),
    "tags": shapes.TEXTS,
    "fields": _VALUES,
    "created_at": shapes.NULLABLE_MOMENT,
    "updated_at": shapes.NULLABLE_MOMENT,
    "links": shapes.many(shapes.ref("Link")),
}

COMPONENTS: typing.Final[dict[str, shapes.Schema]] = {
    "UnlistedType": shapes.members(
        {
            "type": shapes.TEXT,
            "reason": shapes.TEXT,
            "projects": shapes.COUNT,
            "at": shapes.MOMENT,
        }
    ),
    "SearchDocument": shapes.members(_DOCUMENT, {"admin": _VALUES}),
    "SearchHit": shapes.members(
        {
            **_DOCUMENT,
            "cursor": shapes.TEXT,
            "score": _NUMBER,
            "highlights": _HIGHLIGHTS,
        },
        {"admin": _VALUES, "texts": shapes.map_of(shapes.TEXT)},
    ),
    "SearchAnswer": shapes.members(
        {
            "total": shapes.COUNT,
            "took_ms": shapes.COUNT,
            "hits": shapes.many(shapes.ref("SearchHit")),
            "facets": shapes.map_of(
                shapes.many(
                    shapes.members(
                        {"value": shapes.TEXT, "count": shapes.COUNT}
                    )
                )
            ),
            "statistics": shapes.map_of(shapes.members(_NUMBERS)),
            "next": shapes.NULLABLE_TEXT,
            "is_complete": shapes.FLAG,
        },
        {
            "links": shapes.many(shapes.ref("Link")),
            "hint": shapes.TEXT,
            "history_since": shapes.MOMENT,
            "aggregations": shapes.map_of(shapes.ref("Aggregation")),
        },
    ),
    "Aggregation": shapes.either(
        shapes.members(
            {"buckets": shapes.many(shapes.ref("AggregationBucket"))},
            {"doc_count_error_upper_bound": shapes.COUNT},
        ),
        shapes.members(_NUMBERS),
        shapes.wrapped("value", _NULLABLE_NUMBER),
    ),
    "AggregationBucket": {
        **shapes.members(
            {
                "key": {"type": ["string", "integer"]},
                "doc_count": shapes.COUNT,
            },
            {"key_as_string": shapes.MOMENT},
        ),
        "additionalProperties": shapes.ref("Aggregation"),
        "description": "Aggregations in each other are members by their"
        " names.",
    },
    "SearchlightAnswer": shapes.members(
        {
            "took": shapes.COUNT,
            "timed_out": shapes.FLAG,
            "_shards": shapes.members(
                dict.fromkeys(("total", "successful", "failed"), shapes.COUNT)
            ),
            "hits": shapes.members(
                {
                    "total": shapes.COUNT,
                    "max_score": _NULLABLE_NUMBER,
                    "hits": shapes.many(
                        shapes.members(
                            {
                                "_index": shapes.TEXT,
                                "_type": shapes.TEXT,
                                "_id": shapes.TEXT,
                                "_score": _NUMBER,
                            },
                            {
                                "_source": shapes.MAP,
                                "highlight": _HIGHLIGHTS,
                            },
                        )
                    ),
                }
            ),
        },
        {"aggregations": shapes.map_of(shapes.ref("Aggregation"))},
    ),
}
"""Schemas by name."""

FOUND: typing.Final = shapes.ref("SearchAnswer")
EITHER: typing.Final = shapes.either(FOUND, shapes.ref("SearchlightAnswer"))
_END: typing.Final = shapes.wrapped(
    "end",
    shapes.members(
        {"count": shapes.COUNT, "is_complete": shapes.FLAG},
        {"hint": shapes.TEXT},
    ),
)
EXPORTED: typing.Final = shapes.either(shapes.ref("SearchHit"), _END)
_SIDE: typing.Final = shapes.either(
    shapes.ref("SearchDocument"), {"type": "null"}
)
DIFFERENCE: typing.Final = shapes.either(
    shapes.members(
        {
            "change": shapes.one_of("appeared", "gone", "changed"),
            "before": _SIDE,
            "after": _SIDE,
            "fields": shapes.TEXTS,
        }
    ),
    _END,
)
FACETS: typing.Final = shapes.map_of(
    shapes.members(
        {"doc_count": shapes.COUNT},
        {
            "facets": shapes.many(
                shapes.members(
                    {
                        "name": shapes.TEXT,
                        "type": shapes.one_of("string", "double", "date"),
                    },
                    {"options": _BUCKETS},
                )
            )
        },
    )
)
FIELDS: typing.Final = shapes.wrapped(
    "fields",
    shapes.many(
        shapes.members(
            {
                "name": shapes.TEXT,
                "type": shapes.one_of("text", "number", "moment"),
            }
        )
    ),
)
PLUGINS: typing.Final = shapes.wrapped(
    "plugins",
    shapes.many(
        shapes.members(
            dict.fromkeys(
                ("kind", "type", "alias-indexing", "alias-searching"),
                shapes.TEXT,
            )
        )
    ),
)
SAVED: typing.Final = shapes.wrapped(
    "saved_search", declared.FACTS.of(contract.SavedSearchFacts)
)
SAVED_LIST: typing.Final = shapes.wrapped(
    "saved_searches", declared.FACTS.many(contract.SavedSearchFacts)
)
STATUS: typing.Final = shapes.wrapped(
    "search",
    shapes.members(
        {
            **dict.fromkeys(
                (
                    *("stacks", "documents", "pending"),
                    *("text_bytes", "stored_bytes"),
                ),
                shapes.COUNT,
            ),
            "fill_progress": _NULLABLE_NUMBER,
            "filled_at": shapes.NULLABLE_MOMENT,
            "orphans_at": shapes.NULLABLE_MOMENT,
            "unlisted_types": shapes.many(shapes.ref("UnlistedType")),
        }
    ),
)
