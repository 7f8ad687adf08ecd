"""How a group type declares the member resources of its stack."""

import collections.abc
import dataclasses
import typing


class SizeFault(typing.NamedTuple):
    """Why a group cannot have so many members.

    :ivar name: the property that is wrong
    :ivar text: what is wrong with it
    """

    name: str
    text: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """The properties of a group that define its members.

    :ivar definition: property with the definition of a member, as templates
        write resources; empty where there is none
    :ivar types: property with the list of the types of all members, for
        groups without a definition
    :ivar properties: property with the properties of all members, in
        addition to ``types``
    :ivar member_type: the type of all members, for groups that find their
        properties elsewhere
    :ivar count: property with the number of members; empty where the group
        has another way to say that
    :ivar minimum: property with the fewest members that it may have
    :ivar maximum: property with the most members that it may have
    :ivar index: property with the placeholder, in a definition, of a
        member's number; empty where there is none
    """

    definition: str = ""
    types: str = ""
    properties: str = ""
    member_type: str = ""
    count: str = ""
    minimum: str = ""
    maximum: str = ""
    index: str = ""

    def smallest_size(
        self, values: collections.abc.Mapping[str, object]
    ) -> int:
        """Return how many members a group has at least.

        :param values: properties of the group, as far as they are known
        """
        for name in (self.count, self.minimum):
            value = values.get(name)
            if isinstance(value, int):
                return max(value, 0)
        return 0

    def find_size_fault(
        self, values: collections.abc.Mapping[str, object]
    ) -> SizeFault | None:
        """Return why a group cannot have its number of members, if so.

        :param values: properties of the group, as far as they are known
        """
        count, minimum, maximum = (
            value if isinstance(value, int) else None
            for value in map(
                values.get, (self.count, self.minimum, self.maximum)
            )
        )
        if minimum is not None and maximum is not None and minimum > maximum:
            return SizeFault(
                self.minimum,
                f"{self.minimum} ({minimum}) must not be greater than"
                f" {self.maximum} ({maximum})",
            )
        if count is not None and (
            (minimum is not None and count < minimum)
            or (maximum is not None and count > maximum)
        ):
            return SizeFault(
                self.count,
                f"{self.count} ({count}) must be between {self.minimum}"
                f" ({minimum}) and {self.maximum} ({maximum})",
            )
        return None


def with_number(value: object, index: str, number: str) -> object:
    """Return a value with the number of a member put into its texts.

    Keys of maps stay as they are.

    :param index: the placeholder of the number
    """
    if isinstance(value, str):
        return value.replace(index, number)
    if isinstance(value, dict):
        return {
            key: with_number(one, index, number) for key, one in value.items()
        }
    if isinstance(value, list):
        return [with_number(one, index, number) for one in value]
    return value
