"""The decoder of a transformer."""

from __future__ import annotations

import copy
from collections.abc import Callable

from .._C import ArgumentError, Tensor, ops
from .activation import Dropout
from .container import ModuleList
from .linear import Linear
from .module import Module
from .norm import LayerNorm
from .transformer import MultiheadAttention


class TransformerDecoderLayer(Module):
    """Self-attention, attention to `memory` and two linear layers, each with residual and norm."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first)
        self.linear1 = Linear(d_model, dim_feedforward, bias)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias)
        self.norm3 = LayerNorm(d_model, layer_norm_eps, bias=bias)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        if isinstance(activation, str):
            if activation not in ("relu", "gelu"):
                raise ArgumentError(
                    f"TransformerDecoderLayer: activation is '{activation}'; expected relu, gelu "
                    "or a function"
                )
            activation = ops.relu if activation == "relu" else ops.gelu
        self.activation = activation

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        def attend(x: Tensor) -> Tensor:
            mask, padding = tgt_mask, tgt_key_padding_mask
            found = self._attend(self.self_attn, x, x, mask, padding, tgt_is_causal)
            return self.dropout1(found)  # type: ignore[no-any-return]

        def look(x: Tensor) -> Tensor:
            mask, padding = memory_mask, memory_key_padding_mask
            found = self._attend(self.multihead_attn, x, memory, mask, padding, memory_is_causal)
            return self.dropout2(found)  # type: ignore[no-any-return]

        x = tgt
        steps = ((self.norm1, attend), (self.norm2, look), (self.norm3, self._feed))
        for norm, step in steps:
            x = x + step(norm(x)) if self.norm_first else norm(x + step(x))
        return x

    @staticmethod
    def _attend(
        attention: Module,
        x: Tensor,
        to: Tensor,
        mask: Tensor | None,
        padding: Tensor | None,
        is_causal: bool,
    ) -> Tensor:
        attended, _ = attention(
            x,
            to,
            to,
            attn_mask=mask,
            key_padding_mask=padding,
            need_weights=False,
            is_causal=is_causal,
        )
        return attended  # type: ignore[no-any-return]

    def _feed(self, x: Tensor) -> Tensor:
        hidden = self.dropout(self.activation(self.linear1(x)))
        return self.dropout3(self.linear2(hidden))  # type: ignore[no-any-return]


class TransformerDecoder(Module):
    """Copies of a layer, one after the other."""

    def __init__(
        self,
        decoder_layer: TransformerDecoderLayer,
        num_layers: int,
        norm: Module | None = None,
    ) -> None:
        super().__init__()
        self.layers = ModuleList(copy.deepcopy(decoder_layer) for _ in range(num_layers))
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        for layer in self.layers:
            tgt = layer(tgt, memory, *masks, tgt_is_causal, memory_is_causal)
        return tgt if self.norm is None else self.norm(tgt)
