"""Tests of ``orch.api.cfn``."""
