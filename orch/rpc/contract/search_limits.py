"""How much a search may ask for.

The API says it in its schemas, and the search service keeps to it, whoever
asks.
"""

import typing

HITS: typing.Final = 1_000
DEFAULT_HITS: typing.Final = 20
OMITTED: typing.Final = 10_000
"""Hits that an offset leaves out; further ones are reached by a cursor."""
FACETS: typing.Final = 20
VALUES: typing.Final = 1_000
"""Values of a facet."""
DEFAULT_VALUES: typing.Final = 10
STATISTICS: typing.Final = 20
AGGREGATIONS: typing.Final = 20
"""Aggregations of a request, at all levels."""
AGGREGATION_LEVELS: typing.Final = 3
HISTOGRAM_BUCKETS: typing.Final = 1_000
"""Buckets between the first and the last moment of a histogram."""
MAX_MIN_COUNT: typing.Final = 1_000_000_000
BUCKETS: typing.Final = 10_000
"""Buckets of all aggregations in those of others."""
SORTS: typing.Final = 5
MAX_FIELD_LENGTH: typing.Final = 255
"""Characters of the name of a field."""
MAX_CURSOR_LENGTH: typing.Final = 4_096
