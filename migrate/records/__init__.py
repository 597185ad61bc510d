"""
The nouns, in the order in which data flows: snapshot, assessment, plan, journal, verification, report.

Frozen values and pure functions on them. Nothing here reads a clock, a disk or
a network, and nothing here knows what Models-as-a-Service is.
"""
