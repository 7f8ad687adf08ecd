"""Metrics of a process: counters, histograms and gauges.

Any room counts, by the names in ``catalogue``; nothing is counted, and no
library is loaded, unless ``exposition`` was asked to collect it.
"""
