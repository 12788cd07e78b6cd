"""A host program that flushes subnormals to zero (as code built with -ffast-math does) changes no bit."""

import ctypes
import mmap
import platform

import numpy as np
import pytest

import rondo
from rondo import _C

FLUSH = 0x8000 | 0x0040  # FTZ and DAZ


class Mxcsr:
    """Reads and writes the register of this thread, by two functions of machine code."""

    def __init__(self):
        self.memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self.memory.write(bytes([0x0F, 0xAE, 0x17, 0xC3]))  # ldmxcsr [rdi]; ret
        self.memory.write(bytes([0x0F, 0xAE, 0x1F, 0xC3]))  # stmxcsr [rdi]; ret
        address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        self._load, self._store = kind(address), kind(address + 4)

    def get(self):
        value = ctypes.c_uint32()
        self._store(ctypes.byref(value))
        return value.value

    def set(self, value):
        self._load(ctypes.byref(ctypes.c_uint32(value)))


@pytest.fixture
def flushing():
    if platform.machine() != "x86_64":
        pytest.skip("the register is that of x86-64")
    try:
        register = Mxcsr()
    except OSError as error:
        pytest.skip(f"no memory may be executed here: {error}")
    before = register.get()

    class Flushing:
        def __enter__(self):
            register.set(before | FLUSH)

        def __exit__(self, *error):
            assert register.get() & FLUSH == FLUSH, "the host's own setting was changed"
            register.set(before)

    yield Flushing()
    register.set(before)


TINY = np.linspace(1, 3, 64, dtype=np.float32).reshape(8, 8) * np.float32(1e-38)


def work():
    """Every kind of kernel on numbers whose results are subnormal, forward and backward."""
    x = rondo.tensor(TINY, requires_grad=True)
    results = []
    for _ in range(8):
        y = x * 0.05 + x * x
        product = y @ (x * 1e38)
        image = rondo.nn.functional.conv2d(y.reshape(1, 1, 8, 8), x[:3, :3].reshape(1, 1, 3, 3) * 1e37)
        total = y.sum(1) - y.amax(1) * 0.5 + y.cumsum(1)[:, -1] + product.mean(0)
        loss = total.sum() + image.sum() + y.exp().log().sum() * 1e-3 + (y / 3).softmax(1).sum() * 1e-38
        x.grad = None
        loss.backward()
        adam = [t.detach().clone() for t in (x, x * 0, x * 0)]
        adam[0] -= x.grad * 1e-39
        results = [y, product, image, total, loss, x.grad, adam[0], y.to(rondo.float16), y.double()]
    return [_C.to_bytes(r) for r in results]


def test_flushing_of_subnormals_set_by_the_host_changes_no_bit(flushing, mode):
    expected = work()
    with flushing:
        got = work()
    assert got == expected


def test_the_numbers_of_that_test_are_subnormal():
    y = np.float32(1e-38) * np.float32(0.05)
    assert 0 < y < np.finfo(np.float32).tiny
