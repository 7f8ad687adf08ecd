"""Lists page by page, by the keys of the last one seen."""

import collections.abc
import dataclasses

import sqlalchemy as sa


@dataclasses.dataclass(frozen=True, slots=True)
class Order:
    """An order of rows.

    :ivar keys: never NULL; the last ones tell any two rows apart
    """

    keys: collections.abc.Sequence[sa.ColumnElement[object]]
    is_descending: bool

    def by(self) -> list[sa.UnaryExpression[object]]:
        """Return what ORDER BY needs."""
        if self.is_descending:
            return [key.desc() for key in self.keys]
        return [key.asc() for key in self.keys]

    def after(
        self,
        conn: sa.Connection,
        statement: sa.Select[tuple[object, ...]],
        marker: sa.ColumnElement[bool],
    ) -> sa.Select[tuple[object, ...]]:
        """Return the statement, narrowed to what comes after a row.

        :param marker: the condition that finds that row; where it finds
            none the statement stays as it was
        """
        row = conn.execute(sa.select(*self.keys).where(marker)).first()
        if row is None:
            return statement
        return statement.where(self._beyond(tuple(row)))

    def _beyond(
        self, values: collections.abc.Sequence[object]
    ) -> sa.ColumnElement[bool]:
        steps = []
        for position, key in enumerate(self.keys):
            same = [
                before == values[at]
                for at, before in enumerate(self.keys[:position])
            ]
            value = values[position]
            beyond = key < value if self.is_descending else key > value
            steps.append(sa.and_(*same, beyond))
        return sa.or_(*steps)
