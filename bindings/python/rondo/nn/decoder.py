"""The decoder of a transformer."""

from __future__ import annotations

import copy
from collections.abc import Callable

from .._C import Tensor
from .container import ModuleList
from .module import Module
from .transformer import MultiheadAttention, TransformerLayer, attend


class TransformerDecoderLayer(TransformerLayer):
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
        self.self_attn, self.multihead_attn = (
            MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first)
            for _ in range(2)
        )
        self._add_feed_forward(
            d_model, dim_feedforward, dropout, activation, layer_norm_eps, norm_first, bias, 3
        )

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
        def look(x: Tensor) -> Tensor:
            found = attend(self.self_attn, x, x, tgt_mask, tgt_key_padding_mask, tgt_is_causal)
            return self.dropout1(found)  # type: ignore[no-any-return]

        def look_at_memory(x: Tensor) -> Tensor:
            mask, padding = memory_mask, memory_key_padding_mask
            found = attend(self.multihead_attn, x, memory, mask, padding, memory_is_causal)
            return self.dropout2(found)  # type: ignore[no-any-return]

        def feed(x: Tensor) -> Tensor:
            return self.dropout3(self._feed(x))  # type: ignore[no-any-return]

        x = self._add_step(tgt, self.norm1, look)
        x = self._add_step(x, self.norm2, look_at_memory)
        return self._add_step(x, self.norm3, feed)


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
