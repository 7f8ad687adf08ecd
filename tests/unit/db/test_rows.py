"""Between rows and values."""

import dataclasses

import sqlalchemy as sa
import testtools

from orch.db import rows


@dataclasses.dataclass(frozen=True, kw_only=True)
class Point:
    x: int
    y: int = 0


TABLE = sa.Table(
    "points",
    sa.MetaData(),
    sa.Column("y", sa.Integer),
    sa.Column("hidden", sa.Integer, default=7),
    sa.Column("x", sa.Integer),
)


class RowsTest(testtools.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.rows = rows.Rows(Point, TABLE)
        engine = sa.create_engine("sqlite://")
        self.addCleanup(engine.dispose)
        self.conn = engine.connect()
        self.addCleanup(self.conn.close)
        TABLE.create(self.conn)

    def test_values_are_columns_by_name(self) -> None:
        self.assertEqual({"x": 1, "y": 2}, self.rows.values(Point(x=1, y=2)))

    def test_rows_become_values_in_their_order(self) -> None:
        points = [Point(x=2, y=1), Point(x=1, y=2)]
        self.conn.execute(
            sa.insert(TABLE), [self.rows.values(each) for each in points]
        )

        statement = self.rows.select().order_by(TABLE.c.y)

        self.assertEqual(points, self.rows.all(self.conn.execute(statement)))
        self.assertEqual(
            points[0], self.rows.first(self.conn.execute(statement))
        )

    def test_without_a_row_there_is_no_first(self) -> None:
        found = self.conn.execute(self.rows.select())

        self.assertIsNone(self.rows.first(found))

    def test_each_field_needs_its_column(self) -> None:
        other = sa.Table("other", sa.MetaData(), sa.Column("x", sa.Integer))

        self.assertRaises(KeyError, rows.Rows, Point, other)
