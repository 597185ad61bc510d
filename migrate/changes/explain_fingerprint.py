"""Pages of the judgement of a plugins ConfigMap: verdicts, reasons and warnings."""

from typing import Final

from migrate.changes.explain_page import Page, page

_GATE: Final = "contract §3.3, §3.4"
_STOP: Final = "Bring it back to the product default, or accept the loss when you plan."


def _note(code: str, meaning: str, why: str, todo: str, source: str = _GATE) -> Page:
    return page("fingerprint", code, meaning, why, todo, source)


PAGES: Final = (
    _note("default", "It is the product default.", "The controller migrates without force.", "Nothing to do."),
    _note(
        "default+response-api-translation",
        "It is the product default with the response translator.",
        "The controller migrates, and writes spec.apiTranslation.enabled: true where nobody set it.",
        "Review the Anthropic bindings.",
    ),
    _note("praxis", "It has the keys of Praxis.", "There is no IPP text to lose.", "Nothing to do."),
    _note("absent", "There is no such ConfigMap.", "There is nothing custom to preserve.", "Nothing to do."),
    _note(
        "custom-blocked",
        "It is readable and no known default.",
        "The controller blocks, and a forced move deletes it for good.",
        _STOP,
    ),
    _note("invalid", "The controller cannot read it.", "It blocks as for a customised one.", "Mend the text."),
    _note(
        "error",
        "No verdict is possible.",
        "What the controller would do is unknown.",
        "Read the reason, and give a file or object that can be read.",
    ),
    _note(
        "unrecognised-data-keys",
        "Neither both IPP keys nor a Praxis key is there.",
        "The controller blocks, and force's message does not apply to it.",
        _STOP,
    ),
    _note("unexpected-data-keys", "Keys stand beside the two of IPP.", "They would be lost; the gate blocks.", _STOP),
    _note("pre-processing-deviates", "The first stage is not the default.", "The gate blocks.", _STOP),
    _note("processing-deviates", "The second stage is not the default.", "The gate blocks.", _STOP),
    _note("pre-processing-unparsable", "The first stage is no YAML.", "The gate blocks.", "Mend the text."),
    _note("processing-unparsable", "The second stage is no YAML.", "The gate blocks.", "Mend the text."),
    _note("pre-processing-wrong-kind", "The first stage is of another kind.", "The gate blocks.", "Mend its kind."),
    _note("processing-wrong-kind", "The second stage is of another kind.", "The gate blocks.", "Mend its kind."),
    _note("malformed-object", "No API server holds such an object.", "Nothing can be said of it.", "Save it again."),
    _note("not-readable", "The API answered with a refusal.", "Unknown is not absent.", "Grant the read."),
    _note(
        "too-large", "It is beyond the bounds of the reader.", "Judging it could take for ever.", "Look at it by hand."
    ),
    _note("terminating", "It is being deleted.", "It is no base for a backup.", "Find out who deletes it."),
    _note("alias-expansion", "Nested aliases expand without bound.", "Readers refuse it.", "Write it out."),
    _note("parser-gap", "Other YAML readers see another value.", "A person, git and IPP may differ.", "Quote it."),
    _note("near-miss", "It is nearly a default.", "Often it is a slip; the gate blocks all the same.", "Compare it."),
    _note("old-product-default", "An older release shipped it.", "Only today's default passes.", "Let it be reset."),
    _note("partial-keys", "One of the two IPP keys is missing.", "Both are needed to pass.", "Add it or remove both."),
    _note("mixed-praxis-ipp", "Keys of both engines are there.", "The IPP part is lost unseen.", "Take one part out."),
    _note("praxis-incomplete", "A Praxis key is missing or empty.", "Praxis writes it anew.", "Find out who wrote it."),
    _note("empty-value", "A document is empty.", "IPP falls back to a default of its own.", "Fill or remove it."),
    _note(
        "strict-reject", "IPP refuses it at its next start.", "The gate passes it, a Pod does not.", "Mend it first."
    ),
    _note("field-case", "A field name is in another case.", "Go reads it all the same.", "Write it as documented."),
    _note("duplicate-key", "A key stands twice.", "Readers differ in which one counts.", "Remove one."),
    _note("yaml-merge-key", "A merge key is used.", "IPP refuses it.", "Write it out."),
    _note("yaml-tag", "A tag changes a value for some readers.", "They differ in what it says.", "Remove the tag."),
    _note("multi-document", "Text follows the first document.", "It is not read.", "Remove it."),
    _note("unknown-field", "Nobody knows the field.", "It is dropped by the comparison.", "Remove or correct it."),
    _note(
        "ipp-feature-field", "The fingerprint ignores this feature.", "It is lost unseen.", "Note it before you move."
    ),
    _note("apiversion-unexpected", "apiVersion is another.", "The comparison ignores it.", "Correct it."),
    _note("kind-missing", "kind is missing.", "The comparison lets that pass.", "Add it."),
    _note("non-ascii-identifier", "A name holds a look-alike letter.", "It is another name.", "Type it again."),
    _note("dangling-ref", "A profile names no plugin.", "IPP does not start so.", "Correct the name."),
    _note("binarydata-present", "binaryData is there.", "It is not compared and goes with the object.", "Save it."),
    _note(
        "immutable", "The object is immutable.", "A restore has to delete and create it.", "Know it.", "contract §4.6"
    ),
    _note("owner-reference", "Somebody else owns it.", "It may go with its owner.", "Find out who.", "contract §4.3"),
    _note("gitops-managed", "A GitOps tool tracks it.", "It may come back.", "Pause the sync.", "lessons 35"),
    _note("last-applied-differs", "kubectl last applied something else.", "The next apply changes it.", "Compare it."),
    _note("managed-absent", "The managed annotation is missing.", "It is reset once.", "Set it.", "contract §2.2"),
    _note("managed-not-false", "managed is true.", "It is reset all the time.", "Set false.", "contract §2.2"),
)
"""Every verdict, reason and warning of a fingerprint."""
