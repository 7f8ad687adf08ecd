"""The tables that keep an index in PostgreSQL, and what they are for.

``search_documents`` has a narrow row for each document: what is counted, and
what hits are mostly put in order by. What is searched and shown (``content``)
stands out of line, so that to count what fits is to read few pages. What is
compared now and then, and what writers need, stands in ``search_details``.
``content`` is made by :mod:`orch.search.index.postgresql.rows`; all that can
be asked of words and whole values is answered by one inverted index over its
pieces, the rest by trigrams and by looking at what is left.

A *shape* is what a document has in common with many: kind, type, state, tags.
Documents name theirs by a number, and ``search_tallies`` counts them by
project and for all projects, so that totals and facets of everything need no
document. Projects and owners are numbers too; ``search_ids`` has their texts.
Writers only add rows to the tallies, so that none waits for another; now and
then they are added up.

Which fields there are is known without documents as well: most documents of a
type have the same ones. ``search_name_sets`` has each such set once, and
``search_names`` counts the documents of each project that have it.
"""

import typing

FORMAT: typing.Final = 8
"""Grows with each change of the tables or of what is in them."""

BREAK: typing.Final = "\x01"
"""Stands between two pieces of ``content``."""

PIECES: typing.Final = (
    "array_to_tsvector(string_to_array("
    "split_part({}content, E'\\x0f', 1), E'\\x01'))"
)
"""The pieces of the content of a row, as the inverted index has them."""

BODY: typing.Final = "split_part({}content, E'\\x0f', 2)"
"""The document of a row, as JSON."""

NAMED: typing.Final = (
    "({0}name || E'\\n' || {0}path || E'\\n' || {0}physical_id)"
)
"""What has trigrams, of ``search_details``."""

MOMENT: typing.Final = "coalesce(updated_at, created_at)"
"""When a document changed last."""

EVERY_PROJECT: typing.Final = -1
"""The project of what the tallies have of all of them."""

OUT_OF_LINE: typing.Final = 2100
"""Of so many bytes PostgreSQL keeps a text out of line, however short the
text is once it is compressed."""

_SEARCHED = """
    shape bigint NOT NULL,
    project bigint NOT NULL,
    owner bigint NOT NULL,
    created_at double precision,
    updated_at double precision,
    id text COLLATE "C" NOT NULL,
    content text COLLATE "C" NOT NULL
"""

_DETAILS = """
    digest bigint NOT NULL,
    valid_from double precision NOT NULL,
    group_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    physical_id text COLLATE "C" NOT NULL,
    numbers jsonb
"""

SEARCHED: typing.Final = (
    "id",
    "shape",
    "project",
    "owner",
    "created_at",
    "updated_at",
    "content",
)
"""The columns of ``search_documents``, in the order in which rows are
written."""

DETAILS: typing.Final = (
    "id",
    "digest",
    "valid_from",
    "group_id",
    "name",
    "path",
    "physical_id",
    "numbers",
)
"""The same of ``search_details``."""

_STATISTICS = 30
"""How long the lists of frequent values are: long ones take long to make."""

# Enough for all but ``content``.
_NARROW = "toast_tuple_target = 256"

# Each query has to go through the list of what is new; but the longer it is,
# the more that is new is written at once. In KiB.
_GIN = "WITH (fastupdate = on, gin_pending_list_limit = 3072)"
_TRIGRAMS = "WITH (fastupdate = on, gin_pending_list_limit = 1024)"

TABLES: typing.Final = (
    "search_documents",
    "search_details",
    "search_former",
    "search_stacks",
    "search_shapes",
    "search_ids",
    "search_tallies",
    "search_name_sets",
    "search_names",
    "search_texts",
)

STATEMENTS: typing.Final = (
    f"CREATE TABLE search_documents ({_SEARCHED},"
    f" PRIMARY KEY (id)) WITH ({_NARROW})",
    "CREATE INDEX search_documents_moment ON search_documents"
    f" (({MOMENT}) DESC NULLS LAST)",
    "CREATE INDEX search_documents_content ON search_documents"
    f" USING gin (({PIECES.format('')})) {_GIN}",
    "ALTER INDEX search_documents_content ALTER COLUMN 1"
    f" SET STATISTICS {_STATISTICS}",
    *(
        f"ALTER TABLE search_documents ALTER {each}"
        f" SET STATISTICS {_STATISTICS}"
        for each in SEARCHED
    ),
    'CREATE TABLE search_details (id text COLLATE "C" PRIMARY KEY,'
    f" {_DETAILS})",
    "CREATE INDEX search_details_group ON search_details (group_id)",
    "CREATE INDEX search_details_trigrams ON search_details"
    f" USING gin ({NAMED.format('')} gin_trgm_ops) {_TRIGRAMS}",
    f"CREATE TABLE search_former ({_SEARCHED}, {_DETAILS},"
    " valid_to double precision NOT NULL)"
    f" WITH ({_NARROW})",
    "CREATE INDEX search_former_valid_to ON search_former (valid_to)",
    "CREATE INDEX search_former_group ON search_former (group_id)",
    "CREATE INDEX search_former_content ON search_former"
    f" USING gin (({PIECES.format('')})) {_GIN}",
    """
    CREATE TABLE search_stacks (
        stack_id text COLLATE "C" PRIMARY KEY,
        version bigint NOT NULL,
        read_at double precision NOT NULL,
        documents integer NOT NULL DEFAULT 0,
        text_bytes bigint NOT NULL DEFAULT 0,
        covered bigint[] NOT NULL,
        has_covered_more boolean NOT NULL DEFAULT FALSE
    )
    """,
    """
    CREATE TABLE search_shapes (
        number bigint PRIMARY KEY,
        is_hidden boolean NOT NULL,
        kind text NOT NULL,
        type text NOT NULL,
        action text NOT NULL,
        status text NOT NULL,
        drift text NOT NULL,
        tags jsonb NOT NULL,
        folded jsonb NOT NULL
    )
    """,
    """
    CREATE TABLE search_ids (
        number bigint PRIMARY KEY,
        value text NOT NULL
    )
    """,
    """
    CREATE TABLE search_tallies (
        project bigint NOT NULL,
        shape bigint NOT NULL,
        count bigint NOT NULL
    )
    """,
    "CREATE INDEX search_tallies_project ON search_tallies (project)",
    """
    CREATE TABLE search_name_sets (
        number bigint PRIMARY KEY,
        is_hidden boolean NOT NULL,
        kind text NOT NULL,
        of_type text NOT NULL,
        names jsonb NOT NULL
    )
    """,
    """
    CREATE TABLE search_names (
        project_id text COLLATE "C" NOT NULL,
        number bigint NOT NULL,
        count bigint NOT NULL,
        PRIMARY KEY (project_id, number)
    ) WITH (fillfactor = 50)
    """,
    """
    CREATE TABLE search_texts (
        name text COLLATE "C" PRIMARY KEY,
        value text NOT NULL
    )
    """,
)
