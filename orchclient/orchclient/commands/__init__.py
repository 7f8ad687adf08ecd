"""The commands of ``orch`` and ``openstack orch``, a module a noun."""
