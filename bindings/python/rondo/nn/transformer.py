"""Attention and the layers made of it."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable

from .._C import ArgumentError, DtypeError, ShapeError, Tensor, dtype as Dtype, ops
from .._factories import empty, full
from .._types import DeviceLike, beside
from . import functional as F
from . import init
from .activation import Dropout
from .container import ModuleList
from .linear import Linear
from .module import Module
from .norm import LayerNorm
from .parameter import Parameter


class MultiheadAttention(Module):
    """Attention in several heads. Source: Vaswani et al. 2017, arXiv:1706.03762.

    Shapes: query [time, batch, embed_dim], key and value [others, batch, embed_dim] -> output like
    query, and weights [batch, time, others] (with heads as axis 1 unless averaged), None unless
    asked for. With `batch_first` the batch comes first; without a batch that axis is left out.
    Errors: ShapeError; DtypeError for a mask of integers; ArgumentError, also for `add_bias_kv`,
    `add_zero_attn`, and a `kdim` or `vdim` other than `embed_dim`.
    """

    in_proj_weight: Parameter
    in_proj_bias: Parameter | None
    out_proj: Linear

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: DeviceLike = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        if add_bias_kv or add_zero_attn or {kdim, vdim} - {None, embed_dim}:
            raise ArgumentError(
                "MultiheadAttention: add_bias_kv, add_zero_attn and a kdim or vdim other than "
                "embed_dim are not supported; leave them out"
            )
        if embed_dim % num_heads:
            raise ArgumentError(
                f"MultiheadAttention: embed_dim {embed_dim} does not divide into {num_heads} heads"
            )
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        shape = (3 * embed_dim, embed_dim)
        self.in_proj_weight = Parameter(empty(shape, device=device, dtype=dtype))
        made = full(shape[:1], 0.0, device=device, dtype=dtype)
        self.register_parameter("in_proj_bias", Parameter(made) if bias else None)
        self.out_proj = Linear(embed_dim, embed_dim, bias, device, dtype)
        init.xavier_uniform_(self.in_proj_weight)
        if self.out_proj.bias is not None:
            init.zeros_(self.out_proj.bias)

    def _projections(self, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
        """Queries, keys and values as [batch, heads, time, features of a head]."""
        if query is key and key is value:
            joined = ops.linear(query, self.in_proj_weight, self.in_proj_bias)
            parts = joined.chunk(3, -1)
        else:
            weights = self.in_proj_weight.chunk(3, 0)
            biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3, 0)
            parts = tuple(
                ops.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases)
            )
        heads = (self.num_heads, self.head_dim)
        return [part.unflatten(-1, heads).transpose(1, 2) for part in parts]

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Masks hold True where attention is not allowed, or numbers that are added to scores.

        `attn_mask` is [time, others] or [batch * heads, time, others], `key_padding_mask`
        [batch, others]. `is_causal` counts where there is no `attn_mask`.
        """
        if query.shape[-1:] != (self.embed_dim,) or query.ndim not in (2, 3):
            raise ShapeError(
                f"MultiheadAttention: query is {list(query.shape)}; expected 2 or 3 axes, the last "
                f"of size {self.embed_dim}"
            )
        same = query is key and key is value
        lone = query.ndim == 2
        inputs = [query] if same else [query, key, value]
        if lone:
            inputs = [x.unsqueeze(0) for x in inputs]
        elif not self.batch_first:
            inputs = [x.transpose(0, 1) for x in inputs]
        q, k, v = self._projections(*(inputs * 3 if same else inputs))
        mask = self._mask(attn_mask, key_padding_mask, is_causal, q, k)
        weights = None
        if need_weights:
            scores = ops.matmul(q / math.sqrt(self.head_dim), k.transpose(-2, -1))
            weights = ops.softmax(scores if mask is None else scores + mask, -1)
            kept = F.dropout(weights, self.dropout, self.training) if self.dropout else weights
            heads = ops.matmul(kept, v)
        else:
            dropout = self.dropout if self.training else 0.0
            heads = ops.scaled_dot_product_attention(q, k, v, mask, dropout)
        output = self.out_proj(heads.transpose(1, 2).flatten(-2))
        if weights is not None and average_attn_weights:
            weights = weights.mean(1)
        if lone:
            return output.squeeze(0), None if weights is None else weights.squeeze(0)
        return (output if self.batch_first else output.transpose(0, 1)), weights

    def _mask(
        self,
        attn_mask: Tensor | None,
        padding: Tensor | None,
        is_causal: bool,
        q: Tensor,
        k: Tensor,
    ) -> Tensor | None:
        """All masks as one that is added to [batch, heads, time, time]."""
        mask = None
        if attn_mask is not None:
            mask = _additive(attn_mask, q)
            if mask.ndim == 3:
                mask = mask.unflatten(0, (-1, self.num_heads))
        elif is_causal:
            rows, columns = (beside(q, ops.arange, 0, t.size(-2)) for t in (q, k))
            later = columns > rows.unsqueeze(1)
            mask = _additive(later, q)
        if padding is not None:
            spread = _additive(padding, q).reshape(-1, 1, 1, k.size(-2))
            mask = spread if mask is None else mask + spread
        return mask


def _additive(mask: Tensor, like: Tensor) -> Tensor:
    if mask.dtype.is_floating_point:
        return mask.to(like.dtype)
    if mask.dtype.name != "bool":
        raise DtypeError(f"MultiheadAttention: a mask is {mask.dtype.name}; expected bool or floats")
    return ops.masked_fill(like.new_zeros(mask.shape), mask, -math.inf)


def attend(
    attention: Module,
    x: Tensor,
    to: Tensor,
    mask: Tensor | None,
    padding: Tensor | None,
    is_causal: bool,
) -> Tensor:
    """What the queries `x` find in `to`, without the weights."""
    found, _ = attention(
        x,
        to,
        to,
        attn_mask=mask,
        key_padding_mask=padding,
        need_weights=False,
        is_causal=is_causal,
    )
    return found  # type: ignore[no-any-return]


class TransformerLayer(Module):
    """What the layers of encoder and decoder share: two linear layers, and a norm for each step."""

    def _add_feed_forward(
        self,
        d_model: int,
        dim_feedforward: int,
        dropout: float,
        activation: str | Callable[[Tensor], Tensor],
        layer_norm_eps: float,
        norm_first: bool,
        bias: bool,
        steps: int,
    ) -> None:
        """Adds the members behind the attentions; their order is that of the state dict."""
        self.linear1 = Linear(d_model, dim_feedforward, bias)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias)
        self.norm_first = norm_first
        for i in range(1, steps + 1):
            self.add_module(f"norm{i}", LayerNorm(d_model, layer_norm_eps, bias=bias))
        for i in range(1, steps + 1):
            self.add_module(f"dropout{i}", Dropout(dropout))
        if isinstance(activation, str):
            if activation not in ("relu", "gelu"):
                raise ArgumentError(
                    f"{type(self).__name__}: activation is '{activation}'; expected relu, gelu "
                    "or a function"
                )
            activation = ops.relu if activation == "relu" else ops.gelu
        self.activation = activation

    def _feed(self, x: Tensor) -> Tensor:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))  # type: ignore[no-any-return]

    def _add_step(self, x: Tensor, norm: Module, step: Callable[[Tensor], Tensor]) -> Tensor:
        """A residual around the step, with the norm before it or after the sum."""
        return x + step(norm(x)) if self.norm_first else norm(x + step(x))


class TransformerEncoderLayer(TransformerLayer):
    """Self-attention and a network of two linear layers, each with a residual and a norm."""

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
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first
        )
        self._add_feed_forward(
            d_model, dim_feedforward, dropout, activation, layer_norm_eps, norm_first, bias, 2
        )

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        def look(x: Tensor) -> Tensor:
            found = attend(self.self_attn, x, x, src_mask, src_key_padding_mask, is_causal)
            return self.dropout1(found)  # type: ignore[no-any-return]

        def feed(x: Tensor) -> Tensor:
            return self.dropout2(self._feed(x))  # type: ignore[no-any-return]

        return self._add_step(self._add_step(src, self.norm1, look), self.norm2, feed)


class TransformerEncoder(Module):
    """Copies of a layer, one after the other."""

    def __init__(
        self,
        encoder_layer: TransformerEncoderLayer,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        """`enable_nested_tensor` and `mask_check` have no effect."""
        super().__init__()
        self.layers = ModuleList(copy.deepcopy(encoder_layer) for _ in range(num_layers))
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, is_causal)
        return src if self.norm is None else self.norm(src)
