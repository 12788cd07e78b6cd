"""The rows of the table: title, the code for Rondo and PyTorch, the code for JAX, and where torch.compile has no part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import jax_models, jax_ops, models, ops
from .libraries import Work


@dataclass(frozen=True)
class Row:
    title: str
    shared: Callable[..., Work]
    jax: Callable[..., Work] | None
    compiled: bool = True  # whether torch.compile is measured

    def make(self, library) -> Work:
        if library.name == "jax":
            return self.jax(library)
        return self.shared(library)

    def applies(self, name: str) -> bool:
        return self.jax is not None if name == "jax" else self.compiled or name != "torch.compile"


ROWS = {
    "add": Row("`a + b`, 4x4", ops.add, jax_ops.add, False),
    "add_drawn": Row("`a op b`, 4x4, ops in no order", ops.add_drawn, None, False),
    "add_with_gradient": Row("`a + b`, 4x4, with gradient", ops.add_with_gradient, None, False),
    "product": Row("`a @ b`, 4x4", ops.product, jax_ops.product, False),
    "tanh_chain": Row("ten times `tanh(x * b + a)`, 4x4", ops.tanh_chain, jax_ops.tanh_chain),
    "copy": Row("copy of 4 Mi floats", ops.copy, jax_ops.copy, False),
    "memory_chain": Row(
        "`(x * 0.5 + y) * x - y * y + x`, 4 Mi", ops.memory_chain, jax_ops.memory_chain
    ),
    "function_chain": Row(
        "`tanh(x * 0.5 + y) * erf(x) - exp(-y * y) + x / (1 + y * y)`, 4 Mi",
        ops.function_chain,
        jax_ops.function_chain,
    ),
    "softmax": Row("softmax over rows, 4096x1024", ops.softmax, jax_ops.softmax),
    "layer_norm": Row("layer norm, 4096x1024", ops.layer_norm, jax_ops.layer_norm),
    "column_sum": Row("`(w * w).sum(0)`, 4096x1024", ops.column_sum, jax_ops.column_sum),
    "small_mlp": Row("MLP 16-32-32-1 tanh, batch 16, Adam", models.small_mlp, jax_models.small_mlp),
    "mlp": Row("MLP 784-512-256-10 relu, batch 64, Adam", models.mlp, jax_models.mlp),
    "cnn": Row("CNN with batch norm, 64x1x28x28, Adam", models.cnn, jax_models.cnn),
    "gpt": Row("GPT, 4 layers, d 128, 4 heads, batch 12x64, AdamW", models.gpt, jax_models.gpt),
    "lstm_by_hand": Row(
        "LSTM cell by hand, batch 32, 25 steps, h 64, Adam",
        models.lstm_by_hand,
        jax_models.lstm_by_hand,
    ),
    "lstm": Row("nn.LSTM, batch 32, 50 steps, h 128, Adam", models.lstm, jax_models.lstm),
    "pinn": Row(
        "PINN: second derivative, 1-64-64-64-1, 1024 points, Adam",
        models.pinn,
        jax_models.pinn,
        False,
    ),
}
