"""
What the product says: names, tables and rules of Models-as-a-Service.

Nothing here decides anything. Every constant and every function names the
document that it was taken from, so that a changed release note has one place.
"""
