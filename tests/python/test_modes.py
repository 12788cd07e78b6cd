"""What a user sees is the same in every mode: memory that changes behind Rondo's back, repeats, ends."""

import subprocess
import sys

import numpy as np
import pytest

import rondo
from rondo import _C

MODES = ["off", "interpreted", "compiled", "switching", "background"]


@pytest.fixture(params=MODES)
def mode(request):
    traced = _C.set_tracing(request.param != "off")
    before = _C.set_jit_mode("background" if request.param == "off" else request.param)
    yield request.param
    _C.set_jit_mode(before)
    _C.set_tracing(traced)


def step(x, w):
    return rondo.tanh(x * w + 1) * 2 - x


def test_a_buffer_may_be_filled_again_while_work_is_deferred(mode):
    buffer = np.zeros(8, dtype=np.float32)
    shared = rondo.from_numpy(buffer)
    w = rondo.full((8,), 0.5)
    results = []
    for i in range(60):
        buffer[:] = i
        results.append(step(shared, w))
        buffer[:] = -1
    expected = [step(rondo.full((8,), float(i)), w).tolist() for i in range(60)]
    assert [r.tolist() for r in results] == expected


def test_an_array_over_a_tensor_sees_every_write(mode):
    x = rondo.zeros(4)
    array = x.numpy()
    for i in range(60):
        x += 1
        x *= 1
        assert array.tolist() == [i + 1.0] * 4


def test_an_array_may_be_made_while_work_is_deferred(mode):
    x = rondo.ones(4)
    for i in range(60):
        y = step(x, x)
        z = y * 2
        assert (z.numpy() == (y.numpy() * 2)).all()
        assert np.from_dlpack(z).tolist() == z.tolist()


def test_sizes_may_change_at_each_step(mode):
    for i in range(60):
        n = 1 + i % 7
        x = rondo.arange(float(n))
        expected = np.tanh(np.arange(n, dtype=np.float32) ** 2 + 1) * 2 - np.arange(n)
        np.testing.assert_allclose(step(x, x).numpy(), expected, rtol=1e-5, atol=1e-6)


def test_training_has_the_same_bits(mode):
    def train(count):
        rondo.manual_seed(0)
        net = rondo.nn.Sequential(
            rondo.nn.Linear(4, 8), rondo.nn.GELU(), rondo.nn.LayerNorm(8), rondo.nn.Linear(8, 1)
        )
        optimizer = rondo.optim.Adam(net.parameters(), lr=0.01)
        x = rondo.randn(16, 4)
        for _ in range(count):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()
        return [p.tolist() for p in net.parameters()]

    traced = train(40)
    before = _C.set_tracing(False)
    assert train(40) == traced
    _C.set_tracing(before)


def test_programs_end_at_once_while_kernels_compile():
    code = (
        "import rondo, time\n"
        "x = rondo.ones(64, 64)\n"
        "for i in range(200):\n"
        "    y = rondo.tanh(x * 0.5 + 1).softmax(1).sum(0)\n"
        "print(time.monotonic(), flush=True)\n"
    )
    import time

    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert process.returncode == 0, process.stderr
    assert time.monotonic() - float(process.stdout) < 2
