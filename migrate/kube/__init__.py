"""
The only room that knows the API client: connecting, reading, writing, watching, the lease.

Exceptions of the client library stop here; what leaves is an error of ours or a record.
"""
