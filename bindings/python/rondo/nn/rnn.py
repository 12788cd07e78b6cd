"""Recurrent networks: cells, and layers that run them over sequences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._C import ArgumentError, ShapeError, Tensor, dtype as Dtype, ops
from .._factories import empty
from .._types import DeviceLike
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter


def _lstm_step(
    gates: Tensor, h: Tensor, c: Tensor, weight: Tensor, bias: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Source: Hochreiter and Schmidhuber 1997; `gates` is the input's part of the gates."""
    total = gates + ops.linear(h, weight, bias)
    i, f, g, o = total.chunk(4, -1)
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
    return ops.sigmoid(o) * ops.tanh(c), c


def _gru_step(gates: Tensor, h: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Source: Cho et al. 2014, arXiv:1406.1078, with the reset after the product."""
    r_x, z_x, n_x = gates.chunk(3, -1)
    r_h, z_h, n_h = ops.linear(h, weight, bias).chunk(3, -1)
    r = ops.sigmoid(r_x + r_h)
    z = ops.sigmoid(z_x + z_h)
    n = ops.tanh(n_x + r * n_h)
    return (1 - z) * n + z * h


_NONLINEARITIES = {"tanh": ops.tanh, "relu": ops.relu}


def _check_nonlinearity(name: str, nonlinearity: str) -> None:
    if nonlinearity not in _NONLINEARITIES:
        raise ArgumentError(
            f"{name}: nonlinearity is '{nonlinearity}'; expected 'tanh' or 'relu'"
        )


class _Cell(Module):
    """One step; `_gates` parts of size `hidden_size` come from input and state."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None
    _gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = self._gates * hidden_size
        self.weight_ih = Parameter(empty(rows, input_size, device=device, dtype=dtype))
        self.weight_hh = Parameter(empty(rows, hidden_size, device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            made = Parameter(empty(rows, device=device, dtype=dtype)) if bias else None
            self.register_parameter(name, made)
        bound = 1 / math.sqrt(hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def _zero_state(self, input: Tensor) -> Tensor:
        return input.new_zeros(*input.shape[:-1], self.hidden_size)

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class LSTMCell(_Cell):
    _gates = 4

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        if hx is None:
            zero = self._zero_state(input)
            hx = (zero, zero)
        gates = ops.linear(input, self.weight_ih, self.bias_ih)
        return _lstm_step(gates, hx[0], hx[1], self.weight_hh, self.bias_hh)


class GRUCell(_Cell):
    _gates = 3

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        h = self._zero_state(input) if hx is None else hx
        gates = ops.linear(input, self.weight_ih, self.bias_ih)
        return _gru_step(gates, h, self.weight_hh, self.bias_hh)


class RNNCell(_Cell):
    _gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: DeviceLike = None,
        dtype: Dtype | None = None,
    ) -> None:
        _check_nonlinearity("RNNCell", nonlinearity)
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        h = self._zero_state(input) if hx is None else hx
        total = ops.linear(input, self.weight_ih, self.bias_ih) + ops.linear(
            h, self.weight_hh, self.bias_hh
        )
        return _NONLINEARITIES[self.nonlinearity](total)


def _joined(outputs: list[Tensor]) -> Tensor:
    """The outputs of both directions side by side."""
    return outputs[0] if len(outputs) == 1 else ops.cat(outputs, -1)


class _Recurrent(Module):
    """Layers of a recurrent network over [time, batch, features], or batch first."""

    _gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: DeviceLike = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        if hidden_size <= 0 or num_layers <= 0:
            raise ArgumentError(
                f"{type(self).__name__}: hidden_size is {hidden_size}, num_layers {num_layers}; "
                "they must be positive"
            )
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = dropout
        self.bidirectional = bidirectional
        rows = self._gates * hidden_size
        for suffix, layer in self._suffixes():
            width = hidden_size * self._directions() if layer else input_size
            shapes: dict[str, tuple[int, ...]] = {
                "weight_ih": (rows, width),
                "weight_hh": (rows, hidden_size),
            }
            if bias:
                shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
            for name, shape in shapes.items():
                made = Parameter(empty(shape, device=device, dtype=dtype))
                self.register_parameter(f"{name}_{suffix}", made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def flatten_parameters(self) -> None:
        """The weights need no particular place in memory."""

    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _suffixes(self) -> list[tuple[str, int]]:
        ends = ("", "_reverse") if self.bidirectional else ("",)
        return [(f"l{layer}{end}", layer) for layer in range(self.num_layers) for end in ends]

    def _member(self, name: str, suffix: str) -> Any:
        return self.__dict__.get(f"{name}_{suffix}")

    def _step(self, gates: Tensor, state: Any, weight: Tensor, bias: Tensor | None) -> Any:
        """The next state; its first part is the output."""
        raise NotImplementedError

    def _run(self, input: Tensor, states: list[Any]) -> tuple[Tensor, list[Any]]:
        """All layers over [time, batch, features]; the last state of each."""
        final = []
        outputs: list[Tensor] = []
        layer_before = 0
        for (suffix, layer), state in zip(self._suffixes(), states):
            if layer != layer_before:
                input = self._dropped(_joined(outputs))
                outputs, layer_before = [], layer
            weight = self._member("weight_hh", suffix)
            bias = self._member("bias_hh", suffix)
            gates = ops.linear(
                input, self._member("weight_ih", suffix), self._member("bias_ih", suffix)
            )
            backwards = suffix.endswith("_reverse")
            steps = []
            for step in reversed(gates.unbind(0)) if backwards else gates.unbind(0):
                state = self._step(step, state, weight, bias)
                steps.append(state[0])
            outputs.append(ops.stack(steps[::-1] if backwards else steps, 0))
            final.append(state)
        return _joined(outputs), final

    def _dropped(self, output: Tensor) -> Tensor:
        return F.dropout(output, self.dropout, self.training) if self.dropout else output

    def _check(self, input: Tensor) -> None:
        if input.ndim not in (2, 3) or input.size(-1) != self.input_size:
            raise ShapeError(
                f"{type(self).__name__}: input is {list(input.shape)}; expected 2 or 3 axes, the "
                f"last of size {self.input_size}"
            )

    def _states(
        self, input: Tensor, given: Sequence[Tensor] | None, parts: int
    ) -> list[tuple[Tensor, ...]]:
        """The first state of each layer and direction, as tuples of `parts` tensors."""
        count = self.num_layers * self._directions()
        if given is None:
            zero = input.new_zeros(input.size(1), self.hidden_size)
            return [(zero,) * parts] * count
        wanted = [count, input.size(1), self.hidden_size]
        shapes = [list(part.shape) for part in given]
        if shapes != [wanted] * parts:
            raise ShapeError(
                f"{type(self).__name__}: the first states are {shapes}; expected "
                f"{[wanted] * parts}: layers and directions, batch, features"
            )
        return list(zip(*(part.unbind(0) for part in given)))

    def _forward(self, input: Tensor, hx: Any, parts: int) -> tuple[Tensor, tuple[Tensor, ...]]:
        self._check(input)
        lone = input.ndim == 2
        given = (hx,) if isinstance(hx, Tensor) else hx
        if lone:
            input = input.unsqueeze(1)
            given = None if given is None else [part.unsqueeze(1) for part in given]
        elif self.batch_first:
            input = input.transpose(0, 1)
        output, final = self._run(input, self._states(input, given, parts))
        last = tuple(ops.stack([state[i] for state in final], 0) for i in range(parts))
        if lone:
            return output.squeeze(1), tuple(part.squeeze(1) for part in last)
        return (output.transpose(0, 1) if self.batch_first else output), last

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        usual = {
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0.0,
            "bidirectional": False,
        }
        for name, value in usual.items():
            if getattr(self, name) != value:
                text += f", {name}={getattr(self, name)}"
        return text


class LSTM(_Recurrent):
    """output, (h, c) = lstm(input, (h0, c0)). Source: Hochreiter and Schmidhuber 1997.

    Shapes, with d = 2 if bidirectional, else 1: input [time, batch, input_size] -> output
    [time, batch, d * hidden_size]; h and c, first and last, [d * num_layers, batch, hidden_size].
    With `batch_first` input and output begin with the batch; without a batch that axis is left out.
    """

    _gates = 4

    def _step(self, gates: Tensor, state: Any, weight: Tensor, bias: Tensor | None) -> Any:
        return _lstm_step(gates, state[0], state[1], weight, bias)

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        output, last = self._forward(input, hx, 2)
        return output, (last[0], last[1])


class GRU(_Recurrent):
    """output, h = gru(input, h0): the shapes of LSTM, without c."""

    _gates = 3

    def _step(self, gates: Tensor, state: Any, weight: Tensor, bias: Tensor | None) -> Any:
        return (_gru_step(gates, state[0], weight, bias),)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]:
        output, last = self._forward(input, hx, 1)
        return output, last[0]


class RNN(_Recurrent):
    """output, h = rnn(input, h0): the shapes of LSTM, without c; `nonlinearity` is tanh or relu."""

    _gates = 1

    def __init__(self, *args: Any, nonlinearity: str = "tanh", **kwargs: Any) -> None:
        _check_nonlinearity("RNN", nonlinearity)
        super().__init__(*args, **kwargs)
        self.nonlinearity = nonlinearity

    def _step(self, gates: Tensor, state: Any, weight: Tensor, bias: Tensor | None) -> Any:
        total = gates + ops.linear(state[0], weight, bias)
        return (_NONLINEARITIES[self.nonlinearity](total),)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]:
        output, last = self._forward(input, hx, 1)
        return output, last[0]
