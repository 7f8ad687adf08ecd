"""Options, one module a group; nothing reads them but ``orch.cmd``."""
