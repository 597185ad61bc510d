"""What of a plugins ConfigMap goes into plans, journals and reports: no credentials, nothing without bounds."""

import msgspec

from migrate.maas.plugins_config import judge
from tests.unit.maas.test_plugins_config import POST, edited


def test_what_may_be_a_credential_is_never_shown() -> None:
    parameters = "{apiToken: canary-1, url: 'https://me:canary-2@host/x', nested: {clientSecret: [canary-3]}, size: 5}"
    plugin = f"- {{type: metering, parameters: {parameters}}}"
    changed = edited(POST, "- type: apikey-injection\n", f"- type: apikey-injection\n{plugin}\n")
    changed["data"]["my-password.txt"] = "canary-4"

    judgement = judge(changed)

    text = str(msgspec.to_builtins(judgement))
    assert "metering" in text
    assert '"size":5' in text
    assert "canary" not in text


def test_a_parameter_nested_beyond_reason_is_shown_in_bounds() -> None:
    nested = "[" * 3000 + "]" * 3000
    changed = edited(POST, "- type: apikey-injection\n", f"- {{type: apikey-injection, parameters: {{x: {nested}}}}}\n")

    assert any("nested too deep" in (item.found or "") for item in judge(changed).differences)
