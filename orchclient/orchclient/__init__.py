"""A typed Python client of Orch, and the commands built on it.

``orchclient.connect()`` gives a :class:`orchclient.client.Client`. It needs no
part of the server.
"""

from orchclient.connection import connect
from orchclient.connection import from_connection
from orchclient.connection import from_session

__all__ = ("connect", "from_connection", "from_session")
