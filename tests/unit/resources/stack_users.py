"""Users of stacks without any Keystone, for tests of plug-ins."""

from orch.clients import rest
from orch.context import request
from orch.plugin import stack_users


class Users:
    """Does what :class:`orch.plugin.stack_users.Users` says.

    :ivar passwords: by names of users
    :ivar changed: names of those who were there when one was set
    :ivar barred: names of those who may not log in
    :ivar keys: names of users by their access keys
    """

    def __init__(self) -> None:
        self.passwords: dict[str, str] = {}
        self.changed: list[str] = []
        self.barred: set[str] = set()
        self.keys: dict[str, str] = {}

    def make(
        self,
        name: str,
        description: str,
        password: str,
        *,
        is_known: bool = False,
    ) -> stack_users.Login:
        if name not in self.passwords:
            self.passwords[name] = password
        elif not is_known:
            self.passwords[name] = password
            self.changed.append(name)
        return stack_users.Login(
            user_id=f"id-{name}",
            username=name,
            project_id=f"project-{name}",
            auth_url="http://keystone/v3",
            region_name="north",
        )

    def has(self, name: str) -> bool:
        return name in self.passwords

    def allow(self, name: str, *, is_allowed: bool) -> None:
        if is_allowed:
            self.barred.discard(name)
        else:
            self.barred.add(name)

    def remove(self, name: str) -> None:
        self.passwords.pop(name, None)
        self.keys = {
            k: owner for k, owner in self.keys.items() if owner != name
        }

    def make_key(self, name: str, access: str) -> None:
        if name not in self.passwords:
            raise rest.CloudNotFound(f"no user {name}")
        self.keys[access] = name

    def find_secret(self, access: str) -> str | None:
        return f"secret of {access}" if access in self.keys else None

    def remove_key(self, access: str) -> None:
        self.keys.pop(access, None)

    def find_name(self, project_id: str) -> str | None:
        name = project_id.removeprefix("project-")
        return name if name in self.passwords else None

    def is_one(self, caller: request.RequestContext) -> bool:
        return caller.user_domain_id == "stacks"
