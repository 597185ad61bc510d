"""
The twin: a small API server, played controllers and example clusters.

A house of its own beside ours, for rehearsals, demonstrations and tests.
"""
