"""A language model behind any OpenAI-compatible server; needs desbench[llm]."""

from __future__ import annotations

from desbench.language.llm import LanguageModel
from desbench.language.settings import Settings


class OpenAICompat(LanguageModel):
    """Asks the server; answers are kept in the cache file of the settings."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, is_offline=False)


BACKEND = OpenAICompat
