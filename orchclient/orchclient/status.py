"""The status of a stack or a resource."""

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class Status:
    """The last action and its state: ``CREATE`` and ``FAILED``."""

    action: str
    state: str

    @classmethod
    def of(cls, text: str) -> "Status":
        """Parse a status such as ``CREATE_FAILED``."""
        action, _, state = text.partition("_")
        return cls(action, state)

    def __str__(self) -> str:
        return f"{self.action}_{self.state}" if self.state else self.action
