"""
Seedable example clusters, and the small CRDs that the sandbox needs.
"""
