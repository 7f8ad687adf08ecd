"""The query API of AWS CloudFormation, served to its own clients.

``app`` → ``actions`` → ``stacks``, ``resources``, ``templates`` →
``parameters`` in, ``views`` and ``answers`` out. What an error is called is
decided in ``faults`` alone.
"""
