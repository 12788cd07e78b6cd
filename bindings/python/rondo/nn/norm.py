"""Normalisations."""

from __future__ import annotations

from collections.abc import Sequence

from .._C import ArgumentError, ShapeError, Tensor, dtype as Dtype, int64, ops
from .._factories import full
from .._types import DeviceLike, Ints
from . import init
from .module import Module
from .parameter import Parameter


_START = {"weight": 1.0, "bias": 0.0}


class _Affine(Module):
    """A weight that begins with ones and a bias that begins with zeros, or None in their places."""

    weight: Parameter | None
    bias: Parameter | None

    def _add_affine(
        self, shape: Sequence[int], device: DeviceLike, dtype: Dtype | None, **wanted: bool
    ) -> None:
        """Registers `weight` and `bias`, those of the two that are named."""
        for name, is_wanted in wanted.items():
            made = full(shape, _START[name], device=device, dtype=dtype) if is_wanted else None
            self.register_parameter(name, None if made is None else Parameter(made))

    def reset_parameters(self) -> None:
        for name, value in _START.items():
            parameter = self.__dict__.get(name)
            if parameter is not None:
                init.constant_(parameter, value)


class _ChannelNorm(_Affine):
    """Settings of the norms of channels; `_ranks` are those that an input may have."""

    _ranks: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        eps: float,
        momentum: float | None,
        affine: bool,
        track_running_stats: bool,
        device: DeviceLike,
        dtype: Dtype | None,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self._add_affine((num_features,), device, dtype, weight=affine, bias=affine)

    def _check_rank(self, input: Tensor) -> None:
        if input.ndim not in self._ranks:
            ranks = " or ".join(str(rank) for rank in self._ranks)
            raise ShapeError(
                f"{type(self).__name__}: input is {list(input.shape)}; expected {ranks} axes"
            )

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_ChannelNorm):
    """Normalises each channel over the batch; in eval mode with the running statistics.

    Source: Ioffe and Szegedy 2015, arXiv:1502.03167.
    """

    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

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
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)
        for name, value in (("running_mean", 0.0), ("running_var", 1.0)):
            made = full((num_features,), value, device=device, dtype=dtype)
            self.register_buffer(name, made if track_running_stats else None)
        count = full((), 0, device=device, dtype=int64) if track_running_stats else None
        self.register_buffer("num_batches_tracked", count)

    def reset_running_stats(self) -> None:
        if self.running_mean is not None and self.running_var is not None:
            self.running_mean.zero_()
            self.running_var.fill_(1)
        if self.num_batches_tracked is not None:
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        super().reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        self._check_rank(input)
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


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of [n, features] or [n, features, length]."""

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of [n, features, height, width]."""

    _ranks = (4,)


class _InstanceNorm(_ChannelNorm):
    """Normalises each channel of each sample on its own."""

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
        if track_running_stats:
            raise ArgumentError(
                f"{type(self).__name__}: track_running_stats is True; only False is supported"
            )
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        self._check_rank(input)
        lone = input.ndim == self._ranks[0]
        batch = input.unsqueeze(0) if lone else input
        made = ops.group_norm(batch, batch.size(1), self.weight, self.bias, self.eps)
        return made.squeeze(0) if lone else made


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of [n, features, length] or [features, length]."""

    _ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of [n, features, height, width] or without n."""

    _ranks = (3, 4)


class _LastAxesNorm(_Affine):
    """A norm over the last axes, whose sizes are `normalized_shape`."""

    def __init__(
        self, normalized_shape: Ints, eps: float | None, elementwise_affine: bool
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape: Sequence[int] = tuple(shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}"
        )


class LayerNorm(_LastAxesNorm):
    """Normalises over the last axes. Source: Ba et al. 2016, arXiv:1607.06450."""

    eps: float

    def __init__(
        self,
        normalized_shape: Ints,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__(normalized_shape, eps, elementwise_affine)
        shape, biased = self.normalized_shape, elementwise_affine and bias
        self._add_affine(shape, device, dtype, weight=elementwise_affine, bias=biased)

    def forward(self, input: Tensor) -> Tensor:
        return ops.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(_LastAxesNorm):
    """Divides by the root of the mean square over the last axes.

    Source: Zhang and Sennrich 2019, arXiv:1910.07467.
    """

    def __init__(
        self,
        normalized_shape: Ints,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: DeviceLike = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__(normalized_shape, eps, elementwise_affine)
        self._add_affine(self.normalized_shape, device, dtype, weight=elementwise_affine)

    def forward(self, input: Tensor) -> Tensor:
        return ops.rms_norm(input, self.normalized_shape, self.weight, self.eps)


class GroupNorm(_Affine):
    """Normalises over groups of channels of each sample.

    Source: Wu and He 2018, arXiv:1803.08494.
    """

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
        self._add_affine((num_channels,), device, dtype, weight=affine, bias=affine)

    def forward(self, input: Tensor) -> Tensor:
        return ops.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"
