"""What is counted of the work of a process, for who watches over it.

Any room counts, by the names in ``catalogue``; nothing is counted, and no
library is loaded, unless ``exposition`` was asked to collect it.
"""
