"""Verdicts, calls and holds of lifecycle plug-ins, by their public names."""

from orchclient.values import lifecycle as values

Verdict = values.Verdict
Call = values.Call
Hold = values.Hold
