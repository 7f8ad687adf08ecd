"""The lifecycle plug-ins of Orch, one module each, off by default.

They are found by entry points, and each is on from the moment the settings
have a section for it. Beside them: what several of them share.
"""
