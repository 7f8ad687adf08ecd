"""The processes: read options, build the parts, start, stop, exit."""

from orch.cmd import native_threads

native_threads.block_eventlet()
