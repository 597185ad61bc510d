"""
What a migration stands on, whatever it changes: versions, tenants, preconditions, GitOps owners, size.

Decides nothing about a change of the release page; its findings say whether the ground holds.
"""
