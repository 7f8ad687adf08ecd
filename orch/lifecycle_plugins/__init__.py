"""Lifecycle plug-ins that come with Orch, one module each, all off at first.

They are found by entry points, and each is on from the moment the settings
have a section for it. Beside them: what several of them share.
"""
