"""Rondo: deep learning that compiles what repeats. Names mean what they mean in PyTorch."""

from __future__ import annotations

from math import e as e, inf as inf, nan as nan, pi as pi
from typing import Any as _Any

from . import _C
from ._C import (
    ArgumentError as ArgumentError,
    CancelledError as CancelledError,
    CompileError as CompileError,
    DeadlineError as DeadlineError,
    DeviceError as DeviceError,
    DtypeError as DtypeError,
    Error as Error,
    FormatError as FormatError,
    Generator as Generator,
    IndexError as IndexError,
    InternalError as InternalError,
    IoError as IoError,
    OutOfMemoryError as OutOfMemoryError,
    ShapeError as ShapeError,
    Size as Size,
    Tensor as Tensor,
    UnsupportedError as UnsupportedError,
    bfloat16 as bfloat16,
    bool as bool,
    default_generator as default_generator,
    device as device,
    dtype as dtype,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    from_dlpack as from_dlpack,
    from_numpy as from_numpy,
    get_num_threads as get_num_threads,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    set_num_threads as set_num_threads,
    uint8 as uint8,
)
from ._ops import *
from ._factories import (
    arange as arange,
    as_tensor as as_tensor,
    asarray as asarray,
    empty as empty,
    empty_like as empty_like,
    eye as eye,
    full as full,
    full_like as full_like,
    linspace as linspace,
    normal as normal,
    ones as ones,
    ones_like as ones_like,
    rand as rand,
    rand_like as rand_like,
    randint as randint,
    randint_like as randint_like,
    randn as randn,
    randn_like as randn_like,
    randperm as randperm,
    scalar_tensor as scalar_tensor,
    tensor as tensor,
    zeros as zeros,
    zeros_like as zeros_like,
)
from ._functions import (
    addmm as addmm,
    allclose as allclose,
    chunk as chunk,
    detach as detach,
    equal as equal,
    flatten as flatten,
    hstack as hstack,
    is_complex as is_complex,
    is_floating_point as is_floating_point,
    is_nonzero as is_nonzero,
    is_same_size as is_same_size,
    is_signed as is_signed,
    is_tensor as is_tensor,
    isclose as isclose,
    max as max,
    meshgrid as meshgrid,
    min as min,
    mm as mm,
    movedim as movedim,
    mv as mv,
    narrow as narrow,
    numel as numel,
    promote_types as promote_types,
    ravel as ravel,
    repeat_interleave as repeat_interleave,
    result_type as result_type,
    row_stack as row_stack,
    split as split,
    std_mean as std_mean,
    t as t,
    tile as tile,
    unbind as unbind,
    unflatten as unflatten,
    var_mean as var_mean,
    vdot as vdot,
    vstack as vstack,
)
from ._einsum import einsum as einsum
from ._repr import set_printoptions as set_printoptions
from ._grad_mode import (
    enable_grad as enable_grad,
    inference_mode as inference_mode,
    is_grad_enabled as is_grad_enabled,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from .random import (
    fork_rng as fork_rng,
    get_rng_state as get_rng_state,
    initial_seed as initial_seed,
    manual_seed as manual_seed,
    seed as seed,
    set_rng_state as set_rng_state,
)
from ._dtypes import (
    can_cast as can_cast,
    finfo as finfo,
    get_default_dtype as get_default_dtype,
    iinfo as iinfo,
    set_default_dtype as set_default_dtype,
)
from ._errors import missing_attribute as _missing_attribute
from ._math import *
from ._shapes import *
from . import _fallbacks, _tensor
from . import (
    autograd as autograd,
    cuda as cuda,
    nn as nn,
    optim as optim,
    random as random,
    utils as utils,
)
from .nn.functional import (
    adaptive_avg_pool1d as adaptive_avg_pool1d,
    avg_pool1d as avg_pool1d,
    celu as celu,
    conv_transpose1d as conv_transpose1d,
    conv_transpose2d as conv_transpose2d,
    cosine_embedding_loss as cosine_embedding_loss,
    cosine_similarity as cosine_similarity,
    hardshrink as hardshrink,
    hinge_embedding_loss as hinge_embedding_loss,
    instance_norm as instance_norm,
    margin_ranking_loss as margin_ranking_loss,
    max_pool1d as max_pool1d,
    pairwise_distance as pairwise_distance,
    pixel_shuffle as pixel_shuffle,
    pixel_unshuffle as pixel_unshuffle,
    poisson_nll_loss as poisson_nll_loss,
    prelu as prelu,
    selu as selu,
    threshold as threshold,
    triplet_margin_loss as triplet_margin_loss,
)
from ._explain import explain as explain
from ._limits import memory_in_use as memory_in_use, set_memory_limit as set_memory_limit
from ._program import Program as Program, load as load, save as save, trace as trace
from . import jit as jit

__version__ = "0.1.0"

_fallbacks.install()

float = float32
double = float64
half = float16
short = int16
int = int32
long = int64

newaxis = None

for _name, _target in _tensor.ALIASES.items():
    globals()[_name] = globals()[_target]


def use_deterministic_algorithms(mode: _Any, *, warn_only: _Any = False) -> None:
    """All algorithms are deterministic, whatever is asked for."""


def are_deterministic_algorithms_enabled() -> _Any:
    return True


def set_float32_matmul_precision(precision: str) -> None:
    """Products of float32 are in float32, whatever is asked for."""
    if precision not in ("highest", "high", "medium"):
        raise ArgumentError(
            f"set_float32_matmul_precision: precision is '{precision}'; expected highest, high or "
            "medium"
        )


def get_float32_matmul_precision() -> str:
    return "highest"


def compile(model: _Any = None, **_options: _Any) -> _Any:
    """Returns the model: what repeats is compiled without being marked."""
    return model if model is not None else compile


def __getattr__(name: str) -> _Any:
    raise _missing_attribute("rondo", name, globals())
