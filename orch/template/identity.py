"""The stack that a template is read for."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Identity:
    """What the pseudo parameters (``OS::stack_name``, …) say."""

    stack_id: str
    stack_name: str
    project_id: str

    @property
    def arn(self) -> str:
        """Return the name that CloudFormation templates know it by."""
        return (
            f"arn:openstack:heat::{self.project_id}"
            f":stacks/{self.stack_name}/{self.stack_id}"
        )
