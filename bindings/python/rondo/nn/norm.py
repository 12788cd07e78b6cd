"""Normalisations."""

from __future__ import annotations

from collections.abc import Sequence

from .._C import ArgumentError, ShapeError, Tensor, dtype as Dtype, int64, ops
from .._factories import empty, full
from .._types import DeviceLike, Ints
from . import init
from .module import Module
from .parameter import Parameter


class _BatchNorm(Module):
    """Normalises each channel over the batch; in eval mode with the running statistics."""

    weight: Parameter | None
    bias: Parameter | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None
    _ranks: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: DeviceLike = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name, value in (("weight", 1), ("bias", 0)):
            made = full((num_features,), float(value), device=device, dtype=dtype)
            self.register_parameter(name, Parameter(made) if affine else None)
        for name, value in (("running_mean", 0), ("running_var", 1)):
            made = full((num_features,), float(value), device=device, dtype=dtype)
            self.register_buffer(name, made if track_running_stats else None)
        count = full((), 0, dtype=int64) if track_running_stats else None
        self.register_buffer("num_batches_tracked", count)

    def reset_running_stats(self) -> None:
        if self.running_mean is not None and self.running_var is not None:
            self.running_mean.zero_()
            self.running_var.fill_(1)
        if self.num_batches_tracked is not None:
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        if self.weight is not None and self.bias is not None:
            init.ones_(self.weight)
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim not in self._ranks:
            ranks = " or ".join(str(rank) for rank in self._ranks)
            raise ShapeError(
                f"{type(self).__name__}: input is {list(input.shape)}; expected {ranks} axes"
            )
        momentum = self.momentum
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if momentum is None:  # the plain mean of all batches so far
                momentum = 1.0 / float(self.num_batches_tracked)
        batch = self.training or self.running_mean is None
        return ops.batch_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            batch,
            0.0 if momentum is None else momentum,
            self.eps,
        )

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of [n, features] or [n, features, length]."""

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of [n, features, height, width]."""

    _ranks = (4,)


class _InstanceNorm(Module):
    """Normalises each channel of each sample on its own."""

    weight: Parameter | None
    bias: Parameter | None
    _ranks: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: DeviceLike = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        if track_running_stats:
            raise ArgumentError(
                f"{type(self).__name__}: track_running_stats is True; only False is supported"
            )
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name, value in (("weight", 1), ("bias", 0)):
            made = full((num_features,), float(value), device=device, dtype=dtype)
            self.register_parameter(name, Parameter(made) if affine else None)

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim not in self._ranks:
            raise ShapeError(
                f"{type(self).__name__}: input is {list(input.shape)}; expected "
                f"{self._ranks[0]} axes"
            )
        return ops.group_norm(input, input.size(1), self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, track_running_stats={self.track_running_stats}"
        )


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of [n, features, length]."""

    _ranks = (3,)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of [n, features, height, width]."""

    _ranks = (4,)


class LayerNorm(Module):
    """Normalises over the last axes."""

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        normalized_shape: Ints,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape: Sequence[int] = tuple(shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        for name, wanted in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            made = Parameter(empty(shape, device=device, dtype=dtype)) if wanted else None
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return ops.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}"
        )


class RMSNorm(Module):
    """Divides by the root of the mean square over the last axes."""

    weight: Parameter | None

    def __init__(
        self,
        normalized_shape: Ints,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: DeviceLike = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape: Sequence[int] = tuple(shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        made = empty(shape, device=device, dtype=dtype)
        self.register_parameter("weight", Parameter(made) if elementwise_affine else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, input: Tensor) -> Tensor:
        return ops.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(Module):
    """Normalises over groups of channels of each sample."""

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: DeviceLike = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        for name, value in (("weight", 1.0), ("bias", 0.0)):
            made = full((num_channels,), value, device=device, dtype=dtype)
            self.register_parameter(name, Parameter(made) if affine else None)

    def forward(self, input: Tensor) -> Tensor:
        return ops.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"
