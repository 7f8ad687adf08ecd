"""A client of Orch: a typed library, and the commands made of it.

``orchclient.connect()`` gives a :class:`orchclient.client.Client`. Needs no
part of the server.
"""

from orchclient.connection import connect
from orchclient.connection import from_connection
from orchclient.connection import from_session

__all__ = ("connect", "from_connection", "from_session")
