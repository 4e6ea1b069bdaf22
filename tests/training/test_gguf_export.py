"""A merged checkpoint as GGUF: the weights that go in are those that come out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from holdcourse.errors import HoldcourseError
from holdcourse.training.base_model import BaseModel

pytest.importorskip("gguf")

import gguf
from safetensors.torch import load_file

from holdcourse.training.gguf_export import export_gguf, rotated


def source(path: Path, architecture: str = "llama") -> Path:
    """A GGUF file with the metadata of the tiny policy, as its base would have come in."""
    writer = gguf.GGUFWriter(str(path), architecture)
    writer.add_block_count(2)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_token_list(["a", "b"])
    writer.add_name("base")
    writer.add_tensor("token_embd.weight", np.zeros((2, 32), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_rows_of_a_head_are_interleaved() -> None:
    """One head of four rows: the halves (0 1) and (2 3) become 0 2 1 3; a second head likewise."""
    weight = np.arange(8, dtype=np.float32)[:, None]
    assert rotated(weight, 2)[:, 0].tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


@pytest.mark.parametrize(("quantization", "tolerance"), [("f16", 1e-3), ("q8_0", 2e-2)])
def test_weights_and_metadata_survive(
    tiny: BaseModel, tmp_path: Path, quantization: str, tolerance: float
) -> None:
    target = tmp_path / "out" / "policy.gguf"
    export_gguf(Path(tiny.place), source(tmp_path / "base.gguf"), target, quantization)  # type: ignore[arg-type]
    reader = gguf.GGUFReader(str(target))
    assert reader.fields["general.name"].contents() == "base"
    assert reader.fields["tokenizer.ggml.tokens"].contents() == ["a", "b"]
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    weights = load_file(Path(tiny.place) / "model.safetensors")
    found = tensors["blk.1.ffn_down.weight"]
    values = gguf.quants.dequantize(found.data, found.tensor_type)
    np.testing.assert_allclose(values, weights["model.layers.1.mlp.down_proj.weight"].numpy(), atol=tolerance)
    query = tensors["blk.0.attn_q.weight"]
    expected = rotated(weights["model.layers.0.self_attn.q_proj.weight"].numpy(), 4)
    np.testing.assert_allclose(
        gguf.quants.dequantize(query.data, query.tensor_type), expected, atol=tolerance
    )
    assert len(tensors) == len([name for name in weights if name != "lm_head.weight"])


def test_another_architecture_is_refused(tiny: BaseModel, tmp_path: Path) -> None:
    with pytest.raises(HoldcourseError, match="convert_hf_to_gguf"):
        export_gguf(Path(tiny.place), source(tmp_path / "base.gguf", "gemma"), tmp_path / "out.gguf")
