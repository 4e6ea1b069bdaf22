"""Which keys a study needs and which are missing: said before the first job, not after the first call.

Keys come from the environment alone and only their names are ever shown. LiteLLM could be asked which
variables a provider reads, but its import takes seconds; the providers people use most are listed here, and
another one's missing key is reported by its first call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from holdcourse.config.llm import DoorSettings
from holdcourse.llm.door import is_simulated
from holdcourse.llm.failures import MissingKeyError, NoProviderError
from holdcourse.stages.serving import needs_server

PROVIDER_KEYS: Mapping[str, tuple[str, ...]] = {
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "azure": ("AZURE_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "xai": ("XAI_API_KEY",),
    "groq": ("GROQ_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY"),
}
"""Variables by the prefix of a model's name; any one of them will do."""

BARE_NAMES = {"gpt-": "openai", "o1": "openai", "o3": "openai", "o4": "openai", "claude-": "anthropic"}
"""Providers of models that are named without a prefix."""

OWN_SERVER = "hosted_vllm"


@dataclass(frozen=True, slots=True)
class KeyNeed:
    """One key that models need; `names` are the variables that may hold it."""

    names: tuple[str, ...]
    models: tuple[str, ...]

    def is_met(self, environ: Mapping[str, str]) -> bool:
        """Whether one of the variables is set to something."""
        return any(environ.get(name, "").strip() for name in self.names)

    @property
    def text(self) -> str:
        """The names, in words."""
        return " or ".join(self.names)


def key_needs(models: Iterable[str], settings: DoorSettings) -> tuple[KeyNeed, ...]:
    """The keys that some models need, each once, in the order of the models.

    None in replay mode, none for simulated models and checkpoints in process, and none for a model that is
    asked at a server of one's own (llm.api_bases).
    """
    if settings.llm.mode == "replay":
        return ()
    needs: dict[tuple[str, ...], dict[str, None]] = {}
    for model in models:
        if is_simulated(model) or settings.llm.api_base(model) is not None:
            continue
        names = PROVIDER_KEYS.get(provider_of(model))
        if names is not None:
            needs.setdefault(names, {})[model] = None
    return tuple(KeyNeed(names, tuple(models)) for names, models in needs.items())


def provider_of(model: str) -> str:
    """The provider that a model's name stands for; empty where the name does not say."""
    prefix, slash, _ = model.partition("/")
    if slash:
        return prefix
    return next((provider for start, provider in BARE_NAMES.items() if model.startswith(start)), "")


def require_access(models: Iterable[str], settings: DoorSettings, environ: Mapping[str, str]) -> str:
    """Check that every model can be reached, and say in a line what is needed; empty if nothing is.

    Raises:
        MissingKeyError: a key is not set; the message names all that are missing.
        NoProviderError: a model wants a server of one's own, and none is named or started.
    """
    asked = tuple(dict.fromkeys(models))
    homeless = [model for model in asked if _lacks_server(model, settings, environ)]
    if homeless:
        raise NoProviderError(
            f"{', '.join(homeless)}: no server is named for it and none is started; name a running one with "
            f"+llm.api_bases={{{OWN_SERVER}/: URL}} or {OWN_SERVER.upper()}_API_BASE, or let the job "
            "start one with serving=vllm (or serving=llamacpp where there is no GPU)"
        )
    needs = key_needs(asked, settings)
    missing = [need for need in needs if not need.is_met(environ)]
    if missing:
        raise MissingKeyError(_missing(missing, environ))
    return f"keys needed, and set: {', '.join(need.text for need in needs)}" if needs else ""


def _lacks_server(model: str, settings: DoorSettings, environ: Mapping[str, str]) -> bool:
    if settings.llm.mode == "replay" or provider_of(model) != OWN_SERVER:
        return False
    named = settings.llm.api_base(model) or environ.get(f"{OWN_SERVER.upper()}_API_BASE")
    return not named and not needs_server(model, settings, environ)


def _missing(missing: Iterable[KeyNeed], environ: Mapping[str, str]) -> str:
    needs = "; ".join(f"{need.text} for {', '.join(need.models)}" for need in missing)
    names = {name for need in missing for name in need.names}
    unread = sorted(names & _names_in(Path(".env")))
    source = "`set -a; source .env; set +a`"
    hint = (
        f"{' and '.join(unread)} stands in .env, which is not read by itself: run {source}"
        if unread
        else f"write it into .env (.env.example has the names) and run {source}"
    )
    return (
        f"keys that are needed and not set in the environment: {needs}. To set one, {hint}. Without keys, "
        "answer from a recorded cache with llm.mode=replay, or use models=simulated"
    )


def _names_in(file: Path) -> set[str]:
    """Names, never values, that a .env file sets."""
    if not file.is_file():
        return set()
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    pairs = (line.strip().removeprefix("export ").partition("=") for line in lines if "=" in line)
    return {name.strip() for name, _, value in pairs if not name.startswith("#") and value.strip()}
