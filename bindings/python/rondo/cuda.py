"""GPUs: what there is, how much memory is in use, and waiting for work to end.

Work on a device is queued in the order of the calls; reading a tensor waits for it. Random numbers
come from the generator of the process on every device, so there is none of a GPU to seed.
"""

from __future__ import annotations

from . import _C
from ._C import ArgumentError, UnsupportedError, device as Device
from ._types import DeviceLike, check_device

KIND = Device("cuda")


def _gpu(wanted: DeviceLike) -> Device:
    found = check_device(KIND if wanted is None else wanted)
    if found.type != "cuda":
        raise ArgumentError(f"cuda: the device is {found}; expected a GPU")
    return found


def is_available() -> bool:
    """Whether tensors can live on a GPU; `rondo doctor` tells why not."""
    return device_count() > 0


def device_count() -> int:
    return _C.device_count(KIND)


def init() -> None:
    """Opens the driver. Errors: DeviceError that says what is missing."""
    _C.check_device(KIND)


def current_device() -> int:
    """The number of the GPU that "cuda" means."""
    return _gpu(None).index or 0


def set_device(device: DeviceLike) -> None:
    """Accepts the first GPU, which "cuda" always means; others are named by their numbers."""
    found = _gpu(device)
    if found.index != 0:
        raise UnsupportedError(
            f"set_device: the current GPU is always cuda:0; give {found} to calls by its name"
        )


def get_device_name(device: DeviceLike = None) -> str:
    return _C.device_info(_gpu(device))[0]


def get_device_capability(device: DeviceLike = None) -> tuple[int, int]:
    return divmod(_C.device_info(_gpu(device))[2], 10)


def synchronize(device: DeviceLike = None) -> None:
    """Waits until all work on the GPU is done."""
    _C.synchronize()
    _C.device_synchronize(_gpu(device))


def memory_allocated(device: DeviceLike = None) -> int:
    """Bytes in use by tensors."""
    return _C.device_memory(_gpu(device))[0]


def memory_reserved(device: DeviceLike = None) -> int:
    """Bytes taken from the driver, in use or not."""
    return _C.device_memory(_gpu(device))[1]


def max_memory_allocated(device: DeviceLike = None) -> int:
    """The most bytes that were ever in use by tensors."""
    return _C.device_memory(_gpu(device))[2]


def empty_cache() -> None:
    """Gives memory that no tensor uses back to the driver."""
    for index in range(device_count()):
        _C.device_trim(Device("cuda", index))


def manual_seed(seed: int) -> None:
    """All devices draw from the generator that rondo.manual_seed seeds."""


def manual_seed_all(seed: int) -> None:
    """All devices draw from the generator that rondo.manual_seed seeds."""
