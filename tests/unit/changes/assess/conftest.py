"""Tests on a real installation are there only where the project's shared folder is."""

from pathlib import Path

SHARED = Path(__file__).resolve().parents[5] / "shared" / "clusters" / "real-3.5"
collect_ignore = [] if SHARED.is_dir() else ["test_real_cluster.py"]
