"""Migrate Models-as-a-Service on OpenShift AI from 3.5 to 3.6, step by step, and back."""

__version__ = "0.1.0"
