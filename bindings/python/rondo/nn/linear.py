"""Linear layers and embeddings."""

from __future__ import annotations

import math
from typing import Any

from .._C import ShapeError, Tensor, dtype as Dtype, ops
from .._factories import empty
from .._types import DeviceLike
from . import init
from .functional import embedding
from .module import Module
from .parameter import Parameter


class Identity(Module):
    """Gives what it gets."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """input @ weight.T + bias: [.., in_features] -> [.., out_features]

    Both begin uniform in [-1, 1] / sqrt(in_features). Errors: ShapeError for another last axis.
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty(out_features, in_features, device=device, dtype=dtype))
        made = Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None
        self.register_parameter("bias", made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0.0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return ops.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Bilinear(Module):
    """x1 @ weight[k] @ x2 + bias[k]: [.., in1_features], [.., in2_features] -> [.., out_features]"""

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        shape = (out_features, in1_features, in2_features)
        self.weight = Parameter(empty(shape, device=device, dtype=dtype))
        made = Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None
        self.register_parameter("bias", made)
        bound = 1 / math.sqrt(in1_features)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        sizes = (self.in1_features, self.in2_features)
        if (input1.shape[-1:], input2.shape[-1:]) != (sizes[:1], sizes[1:]):
            raise ShapeError(
                f"Bilinear: input1 is {list(input1.shape)}, input2 is {list(input2.shape)}; "
                f"expected [..., {sizes[0]}] and [..., {sizes[1]}]"
            )
        left = ops.matmul(input1.unsqueeze(-2).unsqueeze(-3), self.weight)
        result = ops.matmul(left, input2.unsqueeze(-1).unsqueeze(-3)).squeeze(-1).squeeze(-1)
        return result if self.bias is None else result + self.bias

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class Embedding(Module):
    """Rows of a table: integers [..] -> [.., embedding_dim]

    The row `padding_idx` begins with zeros and gets no gradient. Errors: IndexError for a number
    that is no row; ArgumentError for max_norm, scale_grad_by_freq and sparse.
    """

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        device: DeviceLike = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        if padding_idx is not None and padding_idx < 0:
            padding_idx += num_embeddings
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        if _weight is None:
            self.weight = Parameter(
                empty(num_embeddings, embedding_dim, device=device, dtype=dtype)
            )
            self.reset_parameters()
        else:
            self.weight = Parameter(_weight)

    def reset_parameters(self) -> None:
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None
    ) -> Embedding:
        rows, width = embeddings.shape
        made = cls(rows, width, padding_idx, _weight=embeddings)
        made.weight.requires_grad = not freeze
        return made

    def forward(self, input: Tensor) -> Tensor:
        return embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"
