"""The GIL, Ctrl-C, fork, and what importing costs."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import rondo


def test_other_threads_run_while_a_long_kernel_runs():
    a = rondo.rand(700, 700)
    a @ a
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    for _ in range(3):
        a @ a
    end = time.perf_counter()
    stop.set()
    thread.join()
    inside = [t for t in ticks if begin < t < end]
    assert len(inside) >= 3, f"{len(inside)} ticks in {end - begin} s"


def test_threads_work_on_tensors_at_once():
    results = {}

    def work(i):
        x = rondo.full((50, 50), float(i), dtype=rondo.float64).requires_grad_()
        for _ in range(20):
            y = (x @ x).tanh().sum()
            y.backward()
        results[i] = x.grad.sum().item()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = dict(results)
    for i in range(4):
        work(i)
    assert results == expected and len(results) == 4


INTERRUPTED = """
import rondo
x = rondo.ones(30, 30, requires_grad=True)
y = x
for _ in range(20000):
    y = y * 1.0000001
y = y.sum()
print("ready", flush=True)
try:
    while True:
        {body}
except KeyboardInterrupt:
    print("interrupted", (x * 2).sum().item(), flush=True)
"""


@pytest.mark.parametrize("body", ["y.backward(retain_graph=True)", "x @ x"])
def test_ctrl_c_ends_the_next_op_and_work_goes_on(body):
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(body=body)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=20)
    assert output == "interrupted 1800.0\n" and process.returncode == 0


def test_a_forked_child_computes_and_ends():
    a = rondo.rand(300, 300)
    expected = (a @ a).sum().item()
    pid = os.fork()
    if pid == 0:
        os._exit(0 if (a @ a).sum().item() == expected else 1)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            assert status == 0
            return
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    pytest.fail("the child hangs")


NO_NUMPY = """
import sys
sys.modules["numpy"] = None
import rondo
from rondo import nn
x = rondo.ones(2, 2, requires_grad=True)
nn.Linear(2, 2)(x).sum().backward()
print(x.shape, rondo.tensor([1.5]).tolist())
"""


def test_numpy_is_not_needed():
    output = subprocess.run(
        [sys.executable, "-c", NO_NUMPY], capture_output=True, text=True, check=True
    ).stdout
    assert output == "rondo.Size([2, 2]) [1.5]\n"


def test_importing_does_not_import_numpy():
    code = "import rondo, sys; print('numpy' in sys.modules)"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout == "False\n"


def test_tensors_may_live_at_exit():
    code = "import rondo, numpy; x = rondo.from_numpy(numpy.ones(3)); rondo.keep = x * 2; rondo.k = x"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
