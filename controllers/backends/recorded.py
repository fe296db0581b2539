"""Recorded: the kept answers of an earlier run, from its file; no network. A miss is an error."""

from __future__ import annotations

from desbench.language.llm import LanguageModel
from desbench.language.settings import Settings


class Recorded(LanguageModel):
    """Answers with what the model answered then; its rows keep the source `llm`."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, is_offline=True)


BACKEND = Recorded
