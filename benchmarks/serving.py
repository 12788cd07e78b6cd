"""What serving costs: the two-layer CNN of the table of peers in eval mode, on one thread, beside ONNX Runtime.

    PYTHONPATH=build/release/python python benchmarks/serving.py [--bin build/release/bin] [--out FOLDER]

Each round starts every program anew, in turns, and each is held to one processor. Rondo is asked from C++ through the
C ABI and from Python; ONNX Runtime from Python, its import apart. The HTTP server and its load share all processors.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from benchmarks.peers.libraries import open_library
from benchmarks.peers.models import make_cnn
from benchmarks.peers.report import duration, machine

SHAPE = (1, 28, 28)


def make_archive(path: str) -> dict[str, np.ndarray]:
    """Writes the archive; the weights, with running statistics that are not those of a new model."""
    t = open_library("rondo", 1)
    model = make_cnn(t.lib.nn)
    t.fill(model)
    with t.lib.no_grad():
        for _ in range(8):
            model(t.tensor(64, *SHAPE))
    model.eval()
    dynamic = {"x": {0: "batch"}}
    t.lib.save(t.lib.trace(model, t.tensor(2, *SHAPE), dynamic=dynamic, input_names=["x"]), path)
    return {name: value.numpy() for name, value in model.state_dict().items()}


def make_onnx(path: str, weights: dict[str, np.ndarray]) -> None:
    """The same network as an ONNX file, node by node: PyTorch need not be there."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes, last = [], "x"

    def add(op, *names, **attributes):
        nonlocal last
        nodes.append(helper.make_node(op, [last, *names], [f"v{len(nodes)}"], **attributes))
        last = nodes[-1].output[0]

    for conv, norm in (("0", "1"), ("4", "5")):
        add("Conv", f"{conv}.weight", f"{conv}.bias", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        parts = ("weight", "bias", "running_mean", "running_var")
        add("BatchNormalization", *(f"{norm}.{part}" for part in parts), epsilon=1e-5)
        add("Relu")
        add("MaxPool", kernel_shape=[2, 2], strides=[2, 2])
    add("Flatten", axis=1)
    add("Gemm", "9.weight", "9.bias", transB=1)
    nodes[-1].output[0] = "y"
    used = {name for node in nodes for name in node.input}
    graph = helper.make_graph(
        nodes,
        "cnn",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", *SHAPE])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 10])],
        [numpy_helper.from_array(v, k) for k, v in weights.items() if k in used],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)


PYTHON_CLIENT = """
import json, sys, time
path, seconds, shape = sys.argv[2], float(sys.argv[3]), [int(s) for s in sys.argv[4:]]
import numpy as np
if sys.argv[1] == "onnxruntime":
    import onnxruntime
else:
    import rondo
imported = time.monotonic()
if sys.argv[1] == "onnxruntime":
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    run = lambda x: session.run(None, {"x": x})[0]
else:
    program = rondo.load(path)
    run = lambda x: program(rondo.from_numpy(x)).numpy()
loaded = time.monotonic()
def input(batch):
    count = batch * int(np.prod(shape))
    return (np.arange(count) % 255 / np.float32(255)).astype(np.float32).reshape(batch, *shape)
one, batch = input(1), input(32)
value = float(run(one)[0, 0])
first = time.monotonic()
run(batch)
def ask_for(x):
    times, before = [], time.monotonic()
    end = before + seconds
    while before < end:
        run(x)
        after = time.monotonic()
        times.append(after - before)
        before = after
    times.sort()
    at = lambda p: times[(len(times) - 1) * p // 100]
    return {"count": len(times), "least_s": times[0], "median_s": at(50), "p99_s": at(99)}
result = {"load_s": loaded - imported, "first_s": first - loaded, "first_at": first, "value": value}
result["imported_at"] = imported
result["early"] = ask_for(one)
ask_for(batch)
result |= {"one": ask_for(one), "batch": ask_for(batch)}
with open("/proc/self/status") as status:  # getrusage would count the starter, from before exec
    result["rss_bytes"] = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
print(json.dumps(result))
"""


def start(command: list[str], cache: str) -> dict:
    """Runs a client on one processor; its figures, with those that only the starter can see."""
    processor = min(os.sched_getaffinity(0))
    begin = time.monotonic()
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "RONDO_CACHE_DIR": cache},
        preexec_fn=lambda: os.sched_setaffinity(0, [processor]),
    )
    if done.returncode != 0:
        return {"error": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "failed"}
    result = json.loads(done.stdout)
    result["start_to_answer_s"] = result["first_at"] - begin
    if "imported_at" in result:
        result["import_to_answer_s"] = result["first_at"] - result["imported_at"]
    return result


def measure_clients(options, archive: str, onnx: str | None, cache: str) -> dict[str, list[dict]]:
    sizes = [str(s) for s in SHAPE]
    seconds = str(options.seconds)
    python = [sys.executable, "-c", PYTHON_CLIENT]
    commands = {
        "Rondo, C++": [os.path.join(options.bin, "benchmark_serving_client"), archive],
        "Rondo, Python": [*python, "rondo", archive],
    }
    if onnx is not None:
        commands["ONNX Runtime, Python"] = [*python, "onnxruntime", onnx]
    results: dict[str, list[dict]] = {name: [] for name in commands}
    for _ in range(options.rounds):
        for name, command in commands.items():
            results[name].append(start([*command, seconds, *sizes], cache))
    return results


def request_of(model: str, batch: int, binary: bool) -> bytes:
    """A whole HTTP request: JSON alone, or JSON and the numbers as bytes."""
    x = np.linspace(0, 1, batch * int(np.prod(SHAPE)), dtype=np.float32)
    entry = {"name": "x", "shape": [batch, *SHAPE], "datatype": "FP32"}
    body: dict = {"inputs": [entry]}
    if binary:
        entry["parameters"] = {"binary_data_size": x.nbytes}
        body["parameters"] = {"binary_data_output": True}
    else:
        entry["data"] = [round(float(v), 4) for v in x]
    text = json.dumps(body).encode()
    headers = f"POST /v2/models/{model}/infer HTTP/1.1\r\nHost: localhost\r\n"
    if binary:
        headers += f"Content-Type: application/octet-stream\r\nInference-Header-Content-Length: {len(text)}\r\n"
        text += x.tobytes()
    else:
        headers += "Content-Type: application/json\r\n"
    return f"{headers}Content-Length: {len(text)}\r\n\r\n".encode() + text


def measure_http(options, archive: str, folder: str, cache: str) -> list[dict]:
    """Requests a second and latencies, by kind of body and number of connections."""
    begin = time.monotonic()
    process = subprocess.Popen(
        [os.path.join(options.bin, "rondo"), "serve", archive, "--port", "0", "--warm", "1,2,4,8"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "RONDO_CACHE_DIR": cache},
    )
    results = []
    try:
        port = re.search(r":(\d+)", process.stdout.readline()).group(1)
        listening = time.monotonic() - begin
        path = os.path.join(folder, "request")
        for binary in (True, False):
            with open(path, "wb") as file:
                file.write(request_of("cnn", 1, binary))
            for connections in (1, 2, 8):
                load = os.path.join(options.bin, "benchmark_http_load")
                rounds = [
                    json.loads(subprocess.check_output([load, port, str(connections), str(options.seconds), path]))
                    for _ in range(options.rounds + 1)
                ][1:]
                middle = sorted(rounds, key=lambda r: r["rate"])[len(rounds) // 2]
                kind = "binary" if binary else "JSON"
                results.append({"body": kind, "connections": connections, "listening_s": listening, **middle})
        with open(f"/proc/{process.pid}/status") as file:
            rss = int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1)) * 1024
        for r in results:
            r["rss_bytes"] = rss
    finally:
        process.terminate()
        process.wait(timeout=30)
    return results


def middle(rounds: list[dict], *keys: str) -> float:
    def value(r):
        for key in keys:
            r = r[key]
        return r

    return statistics.median(value(r) for r in rounds)


def client_line(name: str, rounds: list[dict]) -> str:
    failed = [r["error"] for r in rounds if "error" in r]
    if failed:
        return f"| {name} | failed: {failed[0]} |" + " |" * 7
    import_apart = "import_to_answer_s" in rounds[0]
    return (
        f"| {name} | {duration(middle(rounds, 'start_to_answer_s'))} "
        f"| {duration(middle(rounds, 'import_to_answer_s')) if import_apart else '-'} "
        f"| {duration(middle(rounds, 'load_s'))} + {duration(middle(rounds, 'first_s'))} "
        f"| {duration(middle(rounds, 'early', 'median_s'))} "
        f"| {duration(middle(rounds, 'one', 'median_s'))} ({duration(middle(rounds, 'one', 'least_s'))}) "
        f"| {duration(middle(rounds, 'one', 'p99_s'))} "
        f"| {duration(middle(rounds, 'batch', 'median_s'))} ({duration(middle(rounds, 'batch', 'least_s'))}) "
        f"| {middle(rounds, 'rss_bytes') / 1e6:.0f} MB |"
    )


def page(result: dict) -> str:
    m = result["machine"]
    heads = (
        "client", "start to first answer", "import apart", "load + first answer", "a request, at first", "later: median (least)",
        "p99", "batch of 32: median (least)", "resident",
    )  # fmt: skip
    lines = [
        "# Serving the two-layer CNN on one thread",
        "",
        f"{m['processor']} ({m['family']}, {m['vectors']}), load {m['load']:.1f} before the run."
        + "".join(f" {text}" for text in result["missing"]),
        "",
        f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}",
        client_line("Rondo, C++, first start (no kernel on disk)", result["clients"]["Rondo, C++"][:1]),
    ]
    for name, rounds in result["clients"].items():
        lines.append(client_line(name, rounds[1:] or rounds))
    heads = ("HTTP body", "connections", "requests/s", "median", "p99")
    lines += ["", f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}"]
    for r in result["http"]:
        lines.append(
            f"| {r['body']} | {r['connections']} | {r['rate']:.0f} | {duration(r['median_s'])} | {duration(r['p99_s'])} |"
        )
    http = result["http"][0]
    lines += ["", f"The server listens {duration(http['listening_s'])} after its start; {http['rss_bytes'] / 1e6:.0f} MB at most."]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin", help="folder of the built programs")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each kind of request in a round")
    parser.add_argument("--out", help="folder for serving.md and serving.json")
    options = parser.parse_args()
    result: dict = {"machine": machine(1), "missing": []}
    processors = os.sched_getaffinity(0)
    with tempfile.TemporaryDirectory() as folder:
        archive, onnx = os.path.join(folder, "cnn.rondo"), os.path.join(folder, "cnn.onnx")
        weights = make_archive(archive)
        os.sched_setaffinity(0, processors)
        try:
            import onnxruntime  # noqa: F401

            make_onnx(onnx, weights)
        except ImportError as error:
            result["missing"].append(f"ONNX Runtime is not measured: {error}.")
            onnx = None
        cache = os.path.join(folder, "cache")
        result["clients"] = measure_clients(options, archive, onnx, cache)
        result["http"] = measure_http(options, archive, folder, cache)
    text = page(result)
    print(text, end="")
    if options.out:
        os.makedirs(options.out, exist_ok=True)
        with open(os.path.join(options.out, "serving.md"), "w") as file:
            file.write(text)
        with open(os.path.join(options.out, "serving.json"), "w") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
