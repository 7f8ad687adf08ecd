"""Tests of the lifecycle plug-ins; they use helpers of Orch's tests."""
