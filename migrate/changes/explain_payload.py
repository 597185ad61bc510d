"""Why findings of the change from IPP to Praxis matter, and the next move. A table: code, why, what to do."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "FingerprintRecognised": (
        "The controller recognises it and migrates without force. A recognised text does not prove every provider.",
        "Nothing to do; the review of the bindings stays.",
    ),
    "PluginsConfigMapCustomised": (
        "The move deletes this ConfigMap for good, and Praxis does not take over what is special in it.",
        (
            "Bring it back to the product default; or accept the loss (it is backed up first): "
            "--accept force-custom-plugins-configmap=REASON, and write it again in the Praxis shape afterwards."
        ),
    ),
    "PluginsConfigMapAbsent": (
        "There is nothing to preserve, and nothing to restore on the way back but the product default.",
        "Nothing to do; on IPP the controller makes the default again.",
    ),
    "PluginsConfigMapWarning": (
        "The controller's gate does not look at it; the clean-up, GitOps, IPP or a person will.",
        "Read it, and see the page of the code in its message.",
    ),
    "PluginsConfigMapTerminating": (
        "A backup of it would be of something that is going.",
        "Find out who deletes it, and plan again when it is gone or back.",
    ),
    "HeldByFinalizer": (
        "What a finalizer holds keeps its name, and Praxis waits for it; IPP is gone by then and nobody serves.",
        (
            "Find out who serves the finalizer and whether that still works; else have it taken off before the flip. "
            "This program never removes one. A wait that hangs on it names object and finalizer; resume when it went."
        ),
    ),
    "PayloadObjectTerminating": (
        "Somebody deletes parts of IPP now, or tried before; what holds them will hold the clean-up too.",
        "Look whether it goes by itself, and who serves its finalizer; plan again when it is gone or back.",
    ),
    "PluginsConfigMapMixed": (
        "The gate lets Praxis keys pass without reading the rest, so the customised IPP part is lost without a word.",
        "Take the Praxis keys out and plan again; or accept the loss: --accept force-custom-plugins-configmap=REASON.",
    ),
    "PraxisShapeOnIpp": ("IPP would not start from it.", "Find out who put it there."),
    "SteadyWithoutPraxisConfig": (
        "Praxis says that it is steady and its configuration is not there.",
        "Look at the log of ai-gateway-controller.",
    ),
    "PodOlderThanConfigMap": (
        "What serves is not what the ConfigMap says, so the verdict on the ConfigMap is not one on the service.",
        "Restart the Deployment, or find out which text serves, before the migration.",
    ),
    "ConfigMapAgeUnknown": (
        "Whether the Pods run the present text cannot be told.",
        "Restart both Deployments when in doubt.",
    ),
    "IppRunsFromAnotherConfigMap": (
        "The gate judges a ConfigMap that is not the one in use: what really serves is lost unseen.",
        "Find out what it does that Praxis will not. It and the Deployment are backed up.",
    ),
    "AlreadyOnPraxis": ("The tenant has nothing left to do.", "Nothing to do."),
    "MigrationInTransition": (
        "The controllers are handing the tenant over; a write of ours would fall between their steps.",
        "Wait until they are done. Never write or remove the status annotation by hand.",
    ),
    "PraxisRequestedEarly": (
        "At the upgrade it would move by itself, without backup. The planned pin comes before.",
        "Nothing to do.",
    ),
    "ForceLeftBehind": (
        "The next flip would be forced: a customised ConfigMap would be lost although nobody accepted that.",
        "Remove the annotation with the kubectl command that the finding prints.",
    ),
    "BlockedMarkerLeft": (
        "It tells of an earlier attempt. It alone does not block, and the controller removes it.",
        "Nothing to do; never remove it by hand.",
    ),
    "UnknownAnnotationValue": (
        "Some builds take an unknown engine for IPP and some for Praxis; a force annotation other than true is none.",
        "Find out who wrote it, and correct or remove it. The plan writes the engine that it wants in any case.",
    ),
    "GenerationBMarker": (
        "Another build uses another handshake; two builds would wait for each other.",
        "Wait until its peer has claimed the tenant; never remove the marker by hand.",
    ),
    "PayloadProcessingBlocked": (
        "The tenant stays on IPP and is served. It would move by itself as soon as somebody mends its ConfigMap.",
        "Set payload-processing-type=ipp, mend what its Ready condition names, and plan again.",
    ),
    "CleanupWaits": (
        "IPP is partly deleted and one of its Pods does not stop. Force has no effect here.",
        "Look at the Pod that is named; the clean-up goes on when it is gone.",
    ),
    "PraxisHoldsNames": (
        "IPP and Praxis use the same names; whoever comes second waits for ever.",
        "Let ai-gateway-controller clean up, or find out why it does not, before the migration.",
    ),
    "ObjectWithoutOwnershipMark": (
        "The clean-up deletes only what MaaS made. This stays, has a name that Praxis needs, and the move hangs.",
        "Rename or remove it if it is yours. A plugins ConfigMap is adopted on 3.5 within five minutes.",
    ),
    "ApiTranslationUnknown": (
        "The API server would drop the field without a word, and translation would stay off.",
        "Leave --api-translation out, or use a build of 3.6 that has the field.",
    ),
    "ApiTranslationInvalid": ("Nobody knows what it asks for.", "Set it to true or false, or remove it."),
    "ApiTranslationByController": (
        "It is a permission for the whole tenant and opens the shared Messages flow too.",
        "Set the field yourself beforehand when you want another value: --api-translation.",
    ),
    "UnsupportedExternalModel": (
        "Praxis is not qualified for what IPP does for it. The controller keeps IPP while it is active.",
        (
            "Move it to a qualified provider, switch it off or remove it; or give it up with "
            "--api-translation false and --accept unsupported-external-models=REASON."
        ),
    ),
    "UnsupportedModelAccepted": (
        "With apiTranslation false the controller moves all the same, and these models lose their translation.",
        "Review and test each of them, then accept it: --accept unsupported-external-models=REASON.",
    ),
    "UnsupportedModelUnchecked": (
        "A build from before the product page has no compatibility check; nothing would stop the move.",
        "Move it to a qualified provider, or accept the loss: --accept unsupported-external-models=REASON.",
    ),
    "ExternalModelsCompatible": (
        "The check passes; it proves neither streaming nor every direction of a provider.",
        "Review the bindings all the same.",
    ),
    "InactiveExternalModel": ("It does not keep the tenant on IPP.", "Nothing to do."),
    "AuthTypeSimple": ("3.6 knows it no longer; it means apikey.", "Write apikey instead after the upgrade."),
    "OtherHostBehindOpenAI": (
        "The binding counts as OpenAI, and whether the host behaves so on Praxis is not established.",
        "Test this model on Praxis before its users do.",
    ),
    "ProviderNotReady": ("Praxis would leave it out.", "Mend the provider before the migration."),
    "ProviderReferencedTwice": (
        "Praxis refuses such a model, and the tenant would wait.",
        "Leave one reference for each provider, or set the weight of the other to 0.",
    ),
    "WeightsDiffer": (
        "3.6 does not support different weights; the model would not be routed.",
        "Give all active references the same weight.",
    ),
    "ModelOfUnknownTenant": (
        "It is counted for a tenant that does not exist, so no check looks at it.",
        "Correct spec.tenantRef of its MaaSModelRef, or remove the model.",
    ),
}
