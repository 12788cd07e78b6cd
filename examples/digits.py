"""Trains a small convolutional network on handwritten digits, exports it and serves it without Python.

The data are the 1,797 digits of 8 x 8 pixels that scikit-learn ships. The loop is an ordinary one: nothing in it
asks for compiling. Run it with tools/demo, or with the package installed: python examples/digits.py
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tqdm import tqdm

import rondo
import rondo.nn.functional as F
from rondo import nn

BATCH = 64


class Net(nn.Module):
    """Two convolutions with batch norm, then a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(32)
        self.linear = nn.Linear(32 * 2 * 2, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.norm2(self.conv2(x))), 2)
        return self.linear(x.flatten(1))


def digits():
    """Images in [0, 1] and labels; the test fifth is stratified, fixed, and never trained on."""
    pixels, labels = load_digits(return_X_y=True)
    images = (pixels / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    return train_test_split(images, labels, test_size=0.2, stratify=labels, random_state=0)


def train(images, labels, epochs: int, progress: bool):
    """The model, its loss at each step (not read yet), and the time of each step in milliseconds."""
    rondo.manual_seed(0)
    order = np.random.default_rng(0)
    model = Net()
    optimizer = rondo.optim.Adam(model.parameters(), lr=2e-3)
    losses, times = [], []
    for epoch in tqdm(range(epochs), desc="training", disable=not progress):
        shuffled = order.permutation(len(images))
        for start in range(0, len(images) - BATCH + 1, BATCH):
            rows = shuffled[start : start + BATCH]
            x, y = rondo.tensor(images[rows]), rondo.tensor(labels[rows])
            begin = time.perf_counter()
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            times.append((time.perf_counter() - begin) * 1e3)
            losses.append(loss.detach())
    model.eval()
    return model, losses, times


def accuracy(model, images, labels) -> float:
    with rondo.no_grad():
        guesses = model(rondo.tensor(images)).argmax(1).numpy()
    return float((guesses == labels).mean())


def report_capture(before: dict) -> None:
    """What of the ops since `before` ran in compiled kernels."""
    now = rondo.explain()
    ops = {k: now[k] - v for k, v in before.items() if isinstance(v, (int, float))}
    total = ops["ops_compiled"] + ops["ops_interpreted"] + ops["ops_library"] + ops["ops_functions"]
    share = (ops["ops_compiled"] + ops["ops_library"]) / total
    print(f"captured: {now['segments']} segments; calls deferred into them: {ops['matched'] / ops['calls']:.0%}")
    print(
        f"ops in compiled kernels and products after the switch: {share:.0%} "
        f"(kernels compiled meanwhile: {ops['kernels_compiled'] + ops['kernels_from_disk']:.0f})"
    )


def same_weights(a, b) -> bool:
    return all(np.array_equal(a[k].numpy(), b[k].numpy()) for k in a)


def export(model, example, path: str) -> None:
    """Writes an archive that takes any number of images."""
    rondo.save(rondo.trace(model, example, dynamic={"x": {0: "batch"}}), path)


def find_command() -> str | None:
    beside = os.path.join(os.path.dirname(rondo.__file__), "bin", "rondo")
    named = os.environ.get("RONDO_COMMAND")
    for path in (named, beside, shutil.which("rondo")):
        if path and os.path.exists(path):
            return path
    return None


def libraries_of(pid: int) -> list[str]:
    with open(f"/proc/{pid}/maps") as maps:
        files = {line.split()[-1] for line in maps if ".so" in line}
    return sorted(os.path.basename(f) for f in files)


def ask(url: str, image: np.ndarray) -> list[float]:
    body = {
        "inputs": [
            {"name": "x", "shape": [1, 1, 8, 8], "datatype": "FP32", "data": image.reshape(-1).tolist()}
        ]
    }
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)["outputs"][0]["data"]


def serve(command: str, archive: str, images, labels) -> None:
    """Starts the server, asks it for every test image, and stops it."""
    process = subprocess.Popen(
        [command, "serve", archive, "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        line = process.stdout.readline()
        port = int(re.search(r":(\d+)", line).group(1))
        libraries = libraries_of(process.pid)
        assert not any("python" in name for name in libraries), libraries
        print(f"server: {line.strip()}; its libraries (no Python): {', '.join(libraries)}")
        name = os.path.splitext(os.path.basename(archive))[0]
        url = f"http://127.0.0.1:{port}/v2/models/{name}/infer"
        right, times = 0, []
        for image, label in zip(images, labels):
            begin = time.perf_counter()
            scores = ask(url, image)
            times.append((time.perf_counter() - begin) * 1e3)
            right += int(np.argmax(scores) == label)
        print(
            f"served {len(images)} images over HTTP: accuracy {right / len(images):.1%}, "
            f"median latency {statistics.median(times):.2f} ms"
        )
    finally:
        process.terminate()
        process.wait(timeout=20)
    print(f"server stopped with exit code {process.returncode}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--no-server", action="store_true")
    options = parser.parse_args()
    train_images, test_images, train_labels, test_labels = digits()

    with rondo.jit.tracing(False):
        plain, _, plain_times = train(train_images, train_labels, options.epochs, True)
    model, _, times = train(train_images, train_labels, options.epochs, True)
    rondo.jit.wait_for_compiles()
    before = rondo.explain()
    again, _, late_times = train(train_images, train_labels, options.epochs, True)

    print(f"step, tracer off:                    {statistics.median(plain_times):.2f} ms")
    print(f"step, first 20 with the tracer:      {statistics.median(times[:20]):.2f} ms")
    print(f"step, after the switch to compiled:  {statistics.median(late_times[20:]):.2f} ms")
    report_capture(before)
    equal = same_weights(plain.state_dict(), model.state_dict()) and same_weights(
        plain.state_dict(), again.state_dict()
    )
    print(f"weights with the tracer off and on are equal to the bit: {equal}")
    score = accuracy(model, test_images, test_labels)
    print(f"test accuracy: {score:.1%} of {len(test_labels)} images")

    folder = tempfile.mkdtemp()
    archive = os.path.join(folder, "digits.rondo")
    export(model, rondo.tensor(test_images[:2]), archive)
    print(f"exported {archive} ({os.path.getsize(archive)} bytes)")
    loaded = rondo.load(archive)
    print(f"rows independent: {loaded.signature()['forward']['row_dependence'] or 'yes'}")
    command = find_command()
    if command is None:
        sys.exit("the command `rondo` was not found; set RONDO_COMMAND to its path")
    subprocess.run([command, "verify", archive], check=True)
    if not options.no_server:
        serve(command, archive, test_images, test_labels)
    shutil.rmtree(folder)
    if not equal or score < 0.97:
        sys.exit("digits: weights differ or the accuracy is below 97 %")


if __name__ == "__main__":
    main()
