"""Search of what is deployed: an index of all stacks, and its queries.

Notifications tell which stack has changed; what a stack is made of is read
from a source (``orch.search.sources``), turned into documents and kept in an
index (``orch.search.index``). Queries (``orch.search.query``) are answered
from the index alone.
"""
