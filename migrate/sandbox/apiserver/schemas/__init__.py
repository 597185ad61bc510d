"""Schemas at work: typed decoding, pruning, defaulting, validation and CEL rules."""
