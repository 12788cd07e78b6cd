"""How tensors are printed: as in PyTorch, four digits, the middle of long axes left out."""

from __future__ import annotations

import math
from typing import Any

from . import _C
from ._C import Tensor

GAP = "..."


class _Options:
    def __init__(self, precision: int = 4, threshold: float = 1000, edgeitems: int = 3) -> None:
        self.precision = precision
        self.threshold = threshold  # elements from which on the middle is left out
        self.edgeitems = edgeitems  # what is shown at each end of a long axis
        self.linewidth = 80
        self.sci_mode: bool | None = None  # None: as the numbers ask for it


_options = _Options()
_PROFILES = {
    "default": _Options(),
    "short": _Options(2, 1000, 2),
    "full": _Options(4, math.inf),
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """How tensors are printed from now on.

    What is not named stays as it is, but `sci_mode`, which is then chosen by the numbers again.
    """
    if profile is not None:
        vars(_options).update(vars(_PROFILES[profile]))
    named = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    vars(_options).update({name: value for name, value in named.items() if value is not None})
    _options.sci_mode = sci_mode


class _Formatter:
    """One width and one form for all numbers of a tensor."""

    def __init__(self, tensor: Tensor, values: list[Any]) -> None:
        self.floating = tensor.is_floating_point()
        self.scientific = False
        self.whole = True
        if not self.floating:
            self.width = max((len(str(v)) for v in values), default=1)
            return
        numbers = [abs(v) for v in values if math.isfinite(v) and v != 0]
        if numbers:
            self._choose(numbers)
        self.width = 1
        for value in values:
            if math.isfinite(value) and value != 0:
                self.width = max(self.width, len(self._text(value)))

    def _choose(self, numbers: list[float]) -> None:
        low, high = min(numbers), max(numbers)
        self.whole = all(v == math.ceil(v) for v in numbers)
        wide = high / low > 1000 or high > 1e8 or (not self.whole and low < 1e-4)
        self.scientific = wide if _options.sci_mode is None else _options.sci_mode

    def _text(self, value: Any) -> str:
        if not self.floating:
            return str(value)
        if self.scientific:
            return f"{value:.{_options.precision}e}"
        if self.whole:
            return f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"
        return f"{value:.{_options.precision}f}"

    def __call__(self, value: Any) -> str:
        return self._text(value).rjust(self.width)


def _shown(tensor: Tensor, summarise: bool) -> list[Any]:
    """The elements in nested lists, with GAP where some are left out."""
    if not summarise or tensor.ndim == 0:
        return tensor.tolist()  # type: ignore[no-any-return]
    if len(tensor) <= 2 * _options.edgeitems:
        return [_shown(row, True) for row in tensor]
    rows = list(range(_options.edgeitems)), list(range(len(tensor) - _options.edgeitems, len(tensor)))
    first, last = ([_shown(tensor[i], True) for i in part] for part in rows)
    return [*first, GAP, *last]


def _flatten(nested: Any, into: list[Any]) -> list[Any]:
    if isinstance(nested, list):
        for item in nested:
            _flatten(item, into)
    elif nested is not GAP:
        into.append(nested)
    return into


def _lines(nested: list[Any], format_one: _Formatter, indent: int, depth: int) -> str:
    if depth == 1:
        texts = [" ..." if v is GAP else format_one(v) for v in nested]
        per_line = max(1, (_options.linewidth - indent) // (format_one.width + 2))
        lines = [texts[i : i + per_line] for i in range(0, len(texts), per_line)]
        joined = (",\n" + " " * (indent + 1)).join(", ".join(line) for line in lines)
        return f"[{joined}]"
    parts = [GAP if v is GAP else _lines(v, format_one, indent + 1, depth - 1) for v in nested]
    return "[" + ("," + "\n" * (depth - 1) + " " * (indent + 1)).join(parts) + "]"


def _body(tensor: Tensor, indent: int) -> str:
    shown = _shown(tensor, tensor.numel() > _options.threshold)
    if tensor.ndim == 0:
        return _Formatter(tensor, [shown])(shown)
    format_one = _Formatter(tensor, _flatten(shown, []))
    return _lines(shown, format_one, indent, tensor.ndim)


def _suffixes(tensor: Tensor) -> list[str]:
    found = []
    if not tensor.is_cpu:
        found.append(f"device='{tensor.device}'")
    if tensor.numel() == 0 and tensor.ndim != 1:
        found.append(f"size={tuple(tensor.shape)}")
    plain = (_C.float32,) if tensor.numel() == 0 else (_C.float32, _C.int64, _C.bool)
    if tensor.dtype not in plain:
        found.append(f"dtype={tensor.dtype}")
    if tensor.grad_fn is not None:
        found.append(f"grad_fn=<{tensor.grad_fn.name()}>")
    elif tensor.requires_grad:
        found.append("requires_grad=True")
    return found


def tensor_repr(tensor: Tensor) -> str:
    prefix = "tensor("
    before = _C.set_grad_enabled(False)
    try:
        body = "[]" if tensor.numel() == 0 else _body(tensor.detach(), len(prefix))
    finally:
        _C.set_grad_enabled(before)
    text = prefix + body
    last = len(text) - text.rfind("\n") - 1
    for suffix in _suffixes(tensor):
        if last + len(suffix) + 2 > _options.linewidth:
            text += ",\n" + " " * len(prefix) + suffix
            last = len(prefix) + len(suffix)
        else:
            text += ", " + suffix
            last += len(suffix) + 2
    return text + ")"
