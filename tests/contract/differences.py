"""
Where the embedded server is known to differ: the case, and why it stays so.

The same names stand in ``docs/likeness.md``. Such a case must fail on the
embedded server; when it does not, it is no difference any more.
"""

from typing import Final

EMBEDDED_DIFFERS: Final[dict[str, str]] = {
    "test_a_role_without_right_to_it_cannot_be_made": "escalation is not checked: no client of ours makes roles",
    "test_applied_yaml_is_read_by_the_old_rules": "bodies in YAML are read by PyYAML: clients of ours send JSON",
}
