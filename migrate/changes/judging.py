"""The judgement of one plugins ConfigMap, for those who may not know the facts themselves."""

from migrate.maas.plugins_answers import NotAPluginsConfigMapError, read_answer
from migrate.maas.plugins_config import judge
from migrate.maas.plugins_judgement import Judgement

__all__ = ["Judgement", "NotAPluginsConfigMapError", "judge_document"]


def judge_document(document: object) -> Judgement:
    """Return the judgement of a ConfigMap, an API answer or a List. Raises NotAPluginsConfigMapError."""
    return judge(read_answer(document))
