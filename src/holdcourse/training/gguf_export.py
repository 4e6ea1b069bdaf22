"""A trained policy as a GGUF file for llama.cpp, made from the file that its base came in.

Only the weights are new: names, sizes and tokenizer are copied from that file, so that nothing of the base's
own conversion is guessed. For a base that came as a checkpoint of transformers, use llama.cpp's
`convert_hf_to_gguf.py` on the merged checkpoint instead.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import gguf
import numpy as np
from numpy.typing import NDArray
from safetensors.torch import load_file

from holdcourse.errors import HoldcourseError

Quantization = Literal["f16", "q8_0"]

_NOT_COPIED = ("general.architecture", "general.file_type", "general.quantization_version")
_FILE_TYPES = {"f16": 1, "q8_0": 7}
_QUANTIZATION_VERSION = 2


def export_gguf(checkpoint: Path, source: Path, target: Path, quantization: Quantization = "q8_0") -> None:
    """Write a merged checkpoint of the Llama architecture as `target`.

    Args:
        checkpoint: folder with model.safetensors.
        source: the GGUF file that the base model came in.
        target: the file to write.
        quantization: f16 keeps 16 bits a weight, q8_0 about 8.

    Raises:
        HoldcourseError: the source is not of the Llama architecture, or a weight has no name in GGUF.
    """
    reader = gguf.GGUFReader(str(source))
    architecture = reader.fields["general.architecture"].contents()
    if architecture != "llama":
        raise HoldcourseError(
            f"{source.name} is of architecture {architecture}; only llama is exported here, for others use "
            "llama.cpp's convert_hf_to_gguf.py on the merged checkpoint"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(str(target), "llama")
    _copy_fields(reader, writer)
    writer.add_file_type(_FILE_TYPES[quantization])
    if quantization == "q8_0":
        writer.add_quantization_version(_QUANTIZATION_VERSION)
    heads = int(reader.fields["llama.attention.head_count"].contents())
    groups = int(reader.fields["llama.attention.head_count_kv"].contents())
    names = gguf.get_tensor_name_map(
        gguf.MODEL_ARCH.LLAMA, int(reader.fields["llama.block_count"].contents())
    )
    for name, weight in load_file(checkpoint / "model.safetensors").items():
        # The input and output embeddings are one.
        if name == "lm_head.weight":
            continue
        found = names.get_name(name, try_suffixes=(".weight",))
        if found is None:
            raise HoldcourseError(f"{checkpoint / 'model.safetensors'}: {name} has no name in GGUF's llama")
        values = weight.float().numpy()
        if "q_proj" in name:
            values = rotated(values, heads)
        elif "k_proj" in name:
            values = rotated(values, groups)
        _add(writer, found, values, quantization)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def rotated(weight: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """Rows in llama.cpp's order: the two halves that rotary positions pair stand beside each other."""
    size = weight.shape[0] // heads
    halves = weight.reshape(heads, 2, size // 2, *weight.shape[1:])
    return halves.swapaxes(1, 2).reshape(weight.shape)


def _copy_fields(reader: Any, writer: Any) -> None:
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name in _NOT_COPIED:
            continue
        kind, value = field.types[0], field.contents()
        if kind == gguf.GGUFValueType.ARRAY:
            writer.add_array(field.name, value)
        else:
            writer.add_key_value(field.name, value, kind)


def _add(writer: Any, name: str, values: NDArray[np.float32], quantization: Quantization) -> None:
    if values.ndim == 1:
        writer.add_tensor(name, values.astype(np.float32))
    elif quantization == "q8_0":
        kind = gguf.GGMLQuantizationType.Q8_0
        writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)
    else:
        writer.add_tensor(name, values.astype(np.float16))
