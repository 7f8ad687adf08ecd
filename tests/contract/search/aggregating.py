"""Aggregations: terms, histograms over time and numbers, in each other."""

import collections
import collections.abc
import dataclasses
import datetime
import random
import typing

from orch import clock
from orch import errors
from orch.search import document as documents
from orch.search.index import port
from orch.search.query import intervals
from orch.search.query import values
from tests.contract.search import cases
from tests.contract.search import samples
from tests.contract.search.samples import at
from tests.contract.search.samples import resource

Shown = dict[str, typing.Any]


def _moment(text: str) -> clock.Timestamp:
    return clock.Timestamp(
        datetime.datetime.fromisoformat(f"{text}+00:00").timestamp()
    )


def _time_text(moment: float) -> str:
    found = datetime.datetime.fromtimestamp(moment, datetime.UTC)
    return found.isoformat().removesuffix("+00:00")


def aggregation(
    kind: str, field: str, interval: str = "", **more: typing.Any
) -> port.Aggregation:
    """Return an aggregation; its place is what it is made of."""
    return port.Aggregation(
        kind=kind,
        field=field,
        interval=intervals.parse_interval(interval),
        place=f"{kind}.{field}.{interval}",
        **more,
    )


def terms(
    field: str, size: int = 10, **children: port.Aggregation
) -> typing.Any:
    return aggregation(port.TERMS, field, size=size, children=children)


def histogram(
    field: str,
    interval: str,
    min_count: int = 1,
    **children: port.Aggregation,
) -> port.Aggregation:
    return aggregation(
        port.HISTOGRAM, field, interval, min_count=min_count, children=children
    )


class Aggregating(cases.Case):
    def aggregate(
        self,
        scope: port.Scope = samples.USER,
        as_of: clock.Timestamp | None = None,
        **aggregations: port.Aggregation,
    ) -> Shown:
        found = self.index.search(
            samples.query(
                scope=scope, limit=0, as_of=as_of, aggregations=aggregations
            )
        )
        return self.shown(found.aggregations)

    def shown(self, aggregated: port.Aggregated) -> Shown:
        """Return counts by key; ``(count, children)`` where there is more."""
        found: Shown = {}
        for name, each in aggregated.items():
            if not isinstance(each, tuple):
                found[name] = each
                continue
            found[name] = {
                _key(one): (one.count, self.shown(one.children))
                if one.children
                else one.count
                for one in each
            }
        return found

    def put_days(self) -> None:
        self.put(
            resource("a", created_at=_moment("2026-01-30T10:00:00")),
            resource("b", created_at=_moment("2026-01-30T23:59:59.5")),
            resource("c", created_at=_moment("2026-01-31"), status="FAILED"),
            resource(
                "d", created_at=_moment("2026-03-02T01:00"), status="FAILED"
            ),
            resource("e", created_at=None),
        )

    def test_s6_a_histogram_counts_what_is_in_each_interval(self) -> None:
        self.put_days()
        for interval, expected in (
            (
                "day",
                {
                    "2026-01-30T00:00:00": 2,
                    "2026-01-31T00:00:00": 1,
                    "2026-03-02T00:00:00": 1,
                },
            ),
            (
                "12h",
                {
                    "2026-01-30T00:00:00": 1,
                    "2026-01-30T12:00:00": 1,
                    "2026-01-31T00:00:00": 1,
                    "2026-03-02T00:00:00": 1,
                },
            ),
            (
                "week",
                {"2026-01-26T00:00:00": 3, "2026-03-02T00:00:00": 1},
            ),
            ("7d", {"2026-01-29T00:00:00": 3, "2026-02-26T00:00:00": 1}),
            (
                "1M",
                {"2026-01-01T00:00:00": 3, "2026-03-01T00:00:00": 1},
            ),
            ("quarter", {"2026-01-01T00:00:00": 4}),
            ("year", {"2026-01-01T00:00:00": 4}),
        ):
            found = self.aggregate(times=histogram("created_at", interval))
            self.assertEqual(expected, found["times"], interval)
            self.assertEqual(list(expected), list(found["times"]))

    def test_s6_intervals_with_nothing_are_between_others(self) -> None:
        self.put_days()

        found = self.aggregate(
            months=histogram(
                "created_at",
                "month",
                0,
                states=terms("status"),
                n=terms("name", 1),
            ),
            many=histogram("created_at", "month", 2),
        )

        self.assertEqual(
            {
                "2026-01-01T00:00:00": (
                    3,
                    {"states": {"COMPLETE": 2, "FAILED": 1}, "n": {"a": 1}},
                ),
                "2026-02-01T00:00:00": (0, {"states": {}, "n": {}}),
                "2026-03-01T00:00:00": (
                    1,
                    {"states": {"FAILED": 1}, "n": {"d": 1}},
                ),
            },
            found["months"],
        )
        self.assertEqual({"2026-01-01T00:00:00": 3}, found["many"])

    def test_s6_intervals_of_terms_begin_and_end_with_these(self) -> None:
        self.put_days()

        found = self.aggregate(
            states=terms("status", months=histogram("created_at", "1M", 0))
        )

        january, february, march = (
            f"2026-0{month}-01T00:00:00" for month in (1, 2, 3)
        )
        self.assertEqual(
            {
                "COMPLETE": (3, {"months": {january: 2}}),
                "FAILED": (
                    2,
                    {"months": {january: 1, february: 0, march: 1}},
                ),
            },
            found["states"],
        )

    def test_s6_values_are_counted_and_summed_up(self) -> None:
        self.put(
            resource("a", fields={"properties.size": (1, 5, "x")}),
            resource("b", fields={"properties.size": (5, 5)}, tags=("t",)),
            resource("c", fields={"parameters.size": (7, "x")}),
            resource("d", tags=("t", "u")),
        )
        distinct = aggregation(port.CARDINALITY, "size")
        sizes = aggregation(port.STATISTICS, "size")

        found = self.aggregate(
            distinct=distinct,
            sizes=sizes,
            tags=terms("tags", distinct=distinct, sizes=sizes),
            nothing=aggregation(port.CARDINALITY, "nothing"),
        )

        none = port.Statistics(0, None, None, 0.0)
        two = port.Statistics(2, 5.0, 5.0, 10.0)
        self.assertEqual(
            {
                "distinct": 4,
                "sizes": port.Statistics(5, 1.0, 7.0, 23.0),
                "tags": {
                    "t": (2, {"distinct": 1, "sizes": two}),
                    "u": (1, {"distinct": 0, "sizes": none}),
                },
                "nothing": 0,
            },
            found,
        )

    def test_s6_nothing_is_counted_of_nothing(self) -> None:
        self.put_days()

        found = self.aggregate(
            scope=samples.OTHER,
            times=histogram("created_at", "1s", 0, states=terms("status")),
            states=terms("status", times=histogram("created_at", "1s", 0)),
            text=histogram("name", "day"),
        )

        self.assertEqual({"times": {}, "states": {}, "text": {}}, found)

    def test_s3_only_what_may_be_seen_is_counted(self) -> None:
        secret = {"attributes.at": ("2026-02-01",), "attributes.n": (5,)}
        self.put(
            resource("a", created_at=_moment("2026-01-01"), admin=secret),
            resource("b", created_at=_moment("2025-01-01"), is_hidden=True),
            resource("c", created_at=_moment("2024-01-01"), project_id="p2"),
        )
        wanted = {
            "made": histogram("created_at", "year", 0),
            "kinds": terms(
                "kind",
                made=histogram("at", "year", 0),
                hosts=terms("attributes.at"),
                n=aggregation(port.STATISTICS, "attributes.n"),
                count=aggregation(port.CARDINALITY, "attributes.at"),
            ),
        }

        users = self.aggregate(**wanted)
        admins = self.aggregate(samples.ADMIN, **wanted)

        none = port.Statistics(0, None, None, 0.0)
        self.assertEqual(
            {
                "made": {"2026-01-01T00:00:00": 1},
                "kinds": {
                    "resource": (
                        1,
                        {"made": {}, "hosts": {}, "n": none, "count": 0},
                    )
                },
            },
            users,
        )
        self.assertEqual(
            {f"202{year}-01-01T00:00:00": 1 for year in (4, 5, 6)},
            admins["made"],
        )
        self.assertEqual(
            (
                3,
                {
                    "made": {"2026-01-01T00:00:00": 1},
                    "hosts": {"2026-02-01": 1},
                    "n": port.Statistics(1, 5.0, 5.0, 5.0),
                    "count": 1,
                },
            ),
            admins["kinds"]["resource"],
        )

    def test_s6_an_earlier_moment_is_counted_as_it_was(self) -> None:
        self.put(resource("a", status="FAILED"), resource("b"))
        self.index.put(
            [samples.stacked(resource("a"), version=2, read_at=100)]
        )
        wanted = {"states": terms("status", names=terms("name"))}

        self.assertEqual(
            {"states": {"COMPLETE": (1, {"names": {"a": 1}})}},
            self.aggregate(**wanted),
        )
        self.assertEqual(
            {
                "states": {
                    "COMPLETE": (1, {"names": {"b": 1}}),
                    "FAILED": (1, {"names": {"a": 1}}),
                }
            },
            self.aggregate(as_of=at(50), **wanted),
        )

    def test_s6_there_are_so_many_buckets_and_no_more(self) -> None:
        self.put(
            resource("a", created_at=at(0)),
            resource("b", created_at=at(999)),
            resource("c", fields={"properties.at": (at(0), at(1000))}),
        )
        found = self.aggregate(times=histogram("created_at", "1s", 0))
        self.assertEqual(1000, len(found["times"]))

        for wanted, place in (
            (histogram("at", "1s"), "date_histogram.at.1s"),
            (
                terms("kind", 11, times=histogram("created_at", "1s")),
                "date_histogram.created_at.1s",
            ),
            (
                histogram("created_at", "10s", names=terms("name", 101)),
                "terms.name.",
            ),
        ):
            error = self.assertRaises(errors.Invalid, self.aggregate, x=wanted)
            self.assertEqual([place], [each.path for each in error.problems])
            self.assertIn("buckets", error.message)

    def test_s6_places_may_be_the_same(self) -> None:
        self.put(
            resource("a", created_at=at(0), fields={"properties.at": (at(9),)})
        )
        days = histogram("created_at", "day")
        hours = dataclasses.replace(histogram("at", "1h"), place=days.place)

        self.assertEqual(
            {
                "days": {"2023-11-14T00:00:00": 1},
                "hours": {"2023-11-14T22:00:00": 1},
            },
            self.aggregate(days=days, hours=hours),
        )

    def test_s6_what_is_in_no_calendar_is_refused(self) -> None:
        self.put(resource("a", fields={"properties.at": (1e14, 3.0)}))

        for interval in ("month", "1s", "9999999w"):
            self.assertRaises(
                errors.Invalid, self.aggregate, x=histogram("at", interval)
            )

    def test_s6_random_documents_are_counted_as_they_are(self) -> None:
        chance = random.Random(self.id())
        made = [_random_document(chance, number) for number in range(60)]
        self.put(*made)
        for _ in range(25):
            wanted = _random_aggregations(chance, 3)
            for scope in (samples.USER, samples.ADMIN):
                seen = [each for each in made if _is_found(each, scope)]
                self.assertEqual(
                    _expected(wanted, seen, scope.is_admin),
                    self.aggregate(scope, **wanted),
                    repr(wanted),
                )


def _key(bucket: port.Bucket) -> str:
    if isinstance(bucket.key, str):
        return bucket.key
    return _time_text(bucket.key)


def _random_document(chance: random.Random, number: int) -> documents.Document:
    def some(*found: documents.Scalar) -> tuple[documents.Scalar, ...]:
        return tuple(chance.choices(found, k=chance.randrange(4)))

    group = {
        "properties.size": some(1, 2.5, "3", "x", "Ünits", True),
        "properties.at": some("2026-01-31", "2025-12-31T23:59:59Z", 1.8e9),
        "outputs.size": some(2, "y"),
    }
    return resource(
        f"r{number}",
        type=chance.choice(("A", "B", "a")),
        tags=tuple(chance.sample(("t", "u", "v w"), chance.randrange(3))),
        created_at=chance.choice((None, at(chance.randrange(20_000_000)))),
        is_hidden=chance.random() < 0.2,
        fields={name: each for name, each in group.items() if each},
        admin={"attributes.size": (9, "z")} if chance.random() < 0.3 else {},
    )


def _random_aggregations(
    chance: random.Random, levels: int
) -> dict[str, port.Aggregation]:
    found = {}
    for number in range(chance.randrange(1, 3)):
        children = {}
        if levels > 1 and chance.random() < 0.7:
            children = _random_aggregations(chance, levels - 1)
        field = chance.choice(("type", "tags", "size", "properties.size"))
        moment = chance.choice(("created_at", "at"))
        found[f"n{number}"] = chance.choice(
            (
                terms(field, chance.choice((1, 2, 20)), **children),
                histogram(
                    moment,
                    chance.choice(("month", "quarter", "30d", "1y")),
                    chance.randrange(3),
                    **children,
                ),
                aggregation(port.STATISTICS, "size"),
                aggregation(port.CARDINALITY, field),
            )
        )
    return found


def _is_found(document: documents.Document, scope: port.Scope) -> bool:
    return scope.is_admin or not document.is_hidden


def _expected(
    wanted: port.Aggregations,
    found: collections.abc.Sequence[documents.Document],
    is_admin: bool,
) -> Shown:
    return {
        name: _expected_one(each, found, is_admin)
        for name, each in wanted.items()
    }


def _expected_one(
    wanted: port.Aggregation,
    found: collections.abc.Sequence[documents.Document],
    is_admin: bool,
) -> typing.Any:
    by_value: dict[str, list[documents.Document]] = collections.defaultdict(
        list
    )
    numbers: list[float] = []
    for each in found:
        named = [
            value
            for _, value in values.find_values(each, wanted.field, is_admin)
        ]
        amounts = [values.number_of(value) for value in named]
        numbers += [amount for amount in amounts if amount is not None]
        keys = {values.text_of(value) for value in named}
        if wanted.interval:
            keys = {
                _time_text(next(wanted.interval.starts(amount, amount)))
                for amount in amounts
                if amount is not None
            }
        for key in keys:
            by_value[key].append(each)
    if wanted.kind == port.CARDINALITY:
        return len(by_value)
    if wanted.kind == port.STATISTICS:
        return port.Statistics(
            len(numbers),
            min(numbers, default=None),
            max(numbers, default=None),
            sum(numbers),
        )
    ordered = sorted(by_value, key=lambda key: (-len(by_value[key]), key))
    if wanted.interval:
        ordered = _ordered_intervals(wanted, by_value)
    else:
        ordered = ordered[: wanted.size]
    return {
        key: (
            len(by_value[key]),
            _expected(wanted.children, by_value[key], is_admin),
        )
        if wanted.children
        else len(by_value[key])
        for key in ordered
    }


def _ordered_intervals(
    wanted: port.Aggregation,
    by_value: collections.abc.Mapping[str, list[documents.Document]],
) -> list[str]:
    if not by_value or wanted.interval is None:
        return []
    starts = wanted.interval.starts(
        _moment(min(by_value)), _moment(max(by_value))
    )
    keys = [_time_text(each) for each in starts][:-1]
    return [
        key for key in keys if len(by_value.get(key, ())) >= wanted.min_count
    ]
