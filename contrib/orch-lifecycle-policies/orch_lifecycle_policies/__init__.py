"""Lifecycle plug-ins for the policies of a site, one module each.

Each is off until the settings of lifecycle plug-ins have a section for it.
Beside them: what several of them share.
"""
