"""
What to make of the facts: which findings, which steps, which checks.

One package for each heading of the release page, unaware of each other, and
drivers over all of them. Pure: from records to records.
"""
