"""Same bits: the examples' training loops in every way of running, and their archives in every batch."""

import concurrent.futures
import json
import os
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from example_models import STEPS, TRAIN, example

import rondo

WAYS = ["off", "interpreted", "compiled", "switching"]  # jit/params.h; off: without the tracer
THREADS = [1, 2, 3]
BATCHES = [1, 2, 7, 64]
RUN = Path(__file__).with_name("example_models.py")


def same_bits(a, b):
    """Equal shapes, dtypes and bytes."""
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def training_run(folder, way, threads, **environment):
    """The arrays and the counts of one run in a process of its own."""
    path = folder / f"{way}-{threads}-{'-'.join(environment.values())}.npz"
    settings = {"RONDO_CACHE_DIR": str(folder / "kernels"), **environment}
    process = subprocess.run(
        [sys.executable, str(RUN), way, str(threads), str(path)],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert process.returncode == 0, process.stderr
    with np.load(path) as arrays:
        return dict(arrays), json.loads(process.stdout)


def assert_equal_runs(run, expected, what):
    assert run.keys() == expected.keys()
    different = [name for name, array in run.items() if not same_bits(array, expected[name])]
    assert not different, f"{what}: different bits in {', '.join(different)}"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def plain(runs):
    """Without tracer and compiler, on one thread: what all others must equal."""
    arrays, counts = training_run(runs, "off", 1)
    for name in TRAIN:
        losses = arrays[f"{name} losses"]
        assert len(losses) == STEPS and losses[-5:].mean() < 0.9 * losses[:5].mean()
    assert counts["matched"] == counts["ops_compiled"] == 0
    return arrays


def check_counts(way, counts):
    """What the run claims to have used is what it used."""
    assert counts["kernels_withdrawn"] == counts["kernels_failed"] == 0
    if way == "off":
        assert counts["matched"] == counts["ops_compiled"] == 0
        return
    assert counts["matched"] > 0.25 * counts["calls"]
    compiled, interpreted = counts["ops_compiled"], counts["ops_interpreted"]
    if way == "interpreted":
        assert compiled == 0
    elif way == "compiled":
        assert compiled > 4 * interpreted  # each kernel's first two runs are compared
    else:
        assert compiled > 0.1 * interpreted and interpreted > 0.1 * compiled


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("way", WAYS)
def test_training_has_the_same_bits(way, threads, runs, plain):
    arrays, counts = training_run(runs, way, threads)
    check_counts(way, counts)
    assert_equal_runs(arrays, plain, f"{way}, {threads} threads")


def test_training_has_the_same_bits_at_the_other_vector_level(runs, plain):
    with open("/proc/cpuinfo") as info:
        if " avx512vl" not in info.read():
            pytest.skip("this CPU has no AVX-512: x86-64-v4 cannot be compared with v3")
    for level in ("v3", "v4"):
        for way in ("interpreted", "compiled"):
            arrays, counts = training_run(runs, way, 2, RONDO_ISA=level)
            check_counts(way, counts)
            assert_equal_runs(arrays, plain, f"{way}, x86-64-{level}")


def batches_of(rows, size):
    return [rows[start : start + size] for start in range(0, len(rows), size)]


@pytest.mark.parametrize("threads", THREADS)
def test_rows_of_an_archive_have_the_same_bits_in_every_batch(exported_example, threads):
    path, rows, alone = exported_example
    program = rondo.load(path)
    assert program.signature()["forward"]["row_dependence"] == ""
    before = rondo.get_num_threads()
    rondo.set_num_threads(threads)
    try:
        for size in BATCHES:
            served = [program(rondo.tensor(part)).numpy() for part in batches_of(rows, size)]
            assert same_bits(np.concatenate(served), alone), f"batches of {size}"
    finally:
        rondo.set_num_threads(before)


class Server:
    """`rondo serve` on one archive."""

    DATATYPES = {"float32": "FP32", "int64": "INT64"}

    def __init__(self, command, path):
        self.process = subprocess.Popen(
            [command, "serve", str(path), "--port", "0"], stdout=subprocess.PIPE, text=True
        )
        port = self.process.stdout.readline().rsplit(":", 1)[1].split()[0]
        self.url = f"http://127.0.0.1:{port}/v2/models/{path.stem}/infer"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=20)
        self.process.stdout.close()

    def infer(self, rows):
        """The output for some rows, all in binary."""
        tensor = {
            "name": "x",
            "shape": list(rows.shape),
            "datatype": self.DATATYPES[rows.dtype.name],
            "parameters": {"binary_data_size": rows.nbytes},
        }
        head = json.dumps({"inputs": [tensor], "parameters": {"binary_data_output": True}}).encode()
        headers = {
            "Content-Type": "application/octet-stream",
            "Inference-Header-Content-Length": str(len(head)),
        }
        request = urllib.request.Request(self.url, head + rows.tobytes(), headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            length = int(answer.headers["Inference-Header-Content-Length"])
            body = answer.read()
        output = json.loads(body[:length])["outputs"][0]
        return np.frombuffer(body[length:], np.float32).reshape(output["shape"])


def test_the_server_gives_rows_the_same_bits_in_every_batch(exported_example):
    path, rows, alone = exported_example
    command = example("digits").find_command()
    if command is None:
        pytest.skip("the command `rondo` was not built")
    with Server(command, path) as server:
        for size in BATCHES:
            served = [server.infer(part) for part in batches_of(rows, size)]
            assert same_bits(np.concatenate(served), alone), f"requests of {size} rows"
        # Requests that wait together are run as one batch.
        gate = threading.Barrier(16)

        def ask(part):
            gate.wait()
            return server.infer(part)

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            served = list(pool.map(ask, batches_of(rows, 4)))
        assert same_bits(np.concatenate(served), alone), "requests at the same time"
