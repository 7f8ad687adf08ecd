"""Where programs are that only tests need, each in an environment of its own.

They pin libraries that others need newer, or require a hundred that nobody
else needs; ``tools/apart`` makes the environments, below ``build``.
"""

import dataclasses
import os
import pathlib
import shutil
import typing

_BUILD: typing.Final = pathlib.Path(__file__).parents[2] / "build"


@dataclasses.dataclass(frozen=True)
class Program:
    """One of them.

    :ivar name: of its environment, and of the lock that it is made from
    :ivar title: what people call it
    :ivar command: what is run, of its environment's ``bin``
    :ivar is_on_path: the command of the path will do as well
    """

    name: str
    title: str
    command: str = "python"
    is_on_path: bool = False

    @property
    def home(self) -> pathlib.Path:
        """Return the folder of the environment."""
        return _BUILD / self.name

    @property
    def variable(self) -> str:
        """Return the environment variable that names another command."""
        return f"ORCH_{self.name.upper()}"

    def is_named(self) -> bool:
        """Answer whether whoever runs the tests says where it is."""
        return bool(os.environ.get(self.variable))

    def find(self) -> str | None:
        """Return the command; ``None``: there is none.

        What the variable names comes first, then the one below ``build``,
        then that of the path.
        """
        if self.is_named():
            return os.environ[self.variable]
        if (self.home / "installed").exists():
            return str(self.home / "bin" / self.command)
        return shutil.which(self.command) if self.is_on_path else None


AODH: typing.Final = Program("aodh", "Aodh")
AWS: typing.Final = Program(
    "aws", "the aws command", command="aws", is_on_path=True
)
CEILOMETER: typing.Final = Program("ceilometer", "Ceilometer")
ZAQAR: typing.Final = Program("zaqar", "Zaqar")

FUNCTIONAL: typing.Final = (AWS, CEILOMETER, ZAQAR)
"""Those of ``tests.functional``."""
CLOUD: typing.Final = (AODH,)
"""Those of ``tests.cloud``."""
ALL: typing.Final = (*FUNCTIONAL, *CLOUD)
