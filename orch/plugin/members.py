"""How a type says of what other resources it makes a stack."""

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """Where the properties of a group say what its members are.

    :ivar definition: property with the definition of a member, as templates
        write resources; empty where there is none
    :ivar types: property with the list of the types of all members, for
        groups without a definition
    :ivar properties: property with the properties of all members, beside
        ``types``
    :ivar count: property with the number of members; empty where the group
        has another way to say that
    :ivar least: property with the fewest members that it may have
    :ivar most: property with the most members that it may have
    :ivar index: property with the text that stands, in a definition, for
        the number of a member; empty where nothing does
    """

    definition: str = ""
    types: str = ""
    properties: str = ""
    count: str = ""
    least: str = ""
    most: str = ""
    index: str = ""
