"""The lifecycle plug-ins that call a service or a program.

They are found by entry points, and each is on from the moment the settings
have a section for it. Beside them: what they share. Plug-ins for the policies
of a site are packages of their own.
"""
