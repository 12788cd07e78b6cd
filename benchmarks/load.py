"""What the server does under load: at half, once and twice its capacity, and among a thousand bad clients.

    PYTHONPATH=build/release/python python benchmarks/load.py [--bin build/release/bin] [--seconds 60] [--out FILE]

Capacity is what 32 connections that always wait for an answer get through, measured anew before each load: the machine
may be shared. Then requests come at a fixed rate, whatever the server does, and their time counts from when they were
due. Last come clients that send headers or bodies a byte at
a time, break off, or send garbage, while good ones ask at half the capacity.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from benchmarks.peers.report import machine

BAD_CLIENTS = 1000


def make_archive(path: str) -> None:
    import rondo
    from rondo import nn

    rondo.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 49, 10),
    )
    x = rondo.randn(2, 1, 28, 28)
    rondo.save(rondo.trace(model, x, {"x": {0: "batch"}}, input_names=["x"], output_names=["y"]), path)


def make_request(path: str) -> bytes:
    """One image in binary form, as sent; also written to a file."""
    tensor = {"name": "x", "shape": [1, 1, 28, 28], "datatype": "FP32", "parameters": {"binary_data_size": 3136}}
    head = json.dumps({"inputs": [tensor], "parameters": {"binary_data_output": True}}).encode()
    body = head + bytes(3136)
    request = (
        f"POST /v2/models/cnn/infer HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n"
        f"Inference-Header-Content-Length: {len(head)}\r\n\r\n"
    ).encode() + body
    with open(path, "wb") as file:
        file.write(request)
    return request


class Server:
    def __init__(self, command: str, archive: str) -> None:
        self.process = subprocess.Popen(
            [command, "serve", archive, "--port", "0", "--warm", "1,8,32", "--queue", "64"],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def get(self, path: str) -> tuple[int, str]:
        import http.client

        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def wait_until_ready(self) -> None:
        while self.get("/v2/health/ready")[0] != 200:
            time.sleep(0.05)

    def memory(self) -> float:
        """Resident megabytes."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(timeout=30)


def start_load(folder: str, port: int, seconds: float, rate: float, request: str) -> subprocess.Popen:
    client = os.path.join(folder, "benchmark_load_client")
    return subprocess.Popen(
        [client, str(port), "256", str(seconds), f"{rate:.3f}", request], stdout=subprocess.PIPE, text=True
    )


def row(name: str, rate: float, result: dict, before: float, after: float) -> str:
    statuses = {int(status): count for status, count in result["statuses"].items()}
    done, shed = statuses.pop(200, 0), statuses.pop(503, 0)
    others = ", ".join(f"{status}: {count}" for status, count in statuses.items()) or "0"
    sent = sum(result["statuses"].values()) / result["wall_s"]
    return (
        f"| {name} | {rate:.0f} | {sent:.0f} | {done / result['wall_s']:.0f} | {result['p50_s'] * 1e3:.1f} | "
        f"{result['p99_s'] * 1e3:.1f} | {done} | {shed} | {others} | {before:.0f} | {after:.0f} |"
    )


async def bad_client(port: int, until: float, request: bytes, choices: random.Random, counts: dict) -> None:
    """Connects again and again until the time is over, and is bad in one of several ways each time."""
    while time.monotonic() < until:
        kind = choices.choice(["slow head", "slow body", "break off", "garbage", "silent", "no reader"])
        counts[kind] = counts.get(kind, 0) + 1
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                await behave(kind, reader, writer, until, request, choices)
            finally:
                writer.close()
        except (OSError, asyncio.TimeoutError):
            await asyncio.sleep(0.1)


async def behave(kind, reader, writer, until, request, choices):
    split = request.index(b"\r\n\r\n") + 4
    if kind == "slow head" or kind == "slow body":
        begin = 0 if kind == "slow head" else split
        writer.write(request[:begin])
        for at in range(begin, len(request)):
            if reader.at_eof() or time.monotonic() > until:
                return
            writer.write(request[at : at + 1])
            await writer.drain()
            await asyncio.sleep(choices.uniform(0.2, 1.0))
    elif kind == "break off":
        writer.write(request[: choices.randrange(len(request) + 1)])
        await writer.drain()
        await asyncio.sleep(choices.uniform(0, 0.2))
    elif kind == "garbage":
        writer.write(choices.randbytes(choices.randrange(1, 20_000)))
        await writer.drain()
        await asyncio.wait_for(reader.read(), 15)
    elif kind == "silent":
        await asyncio.wait_for(reader.read(), 15)
    else:
        writer.write(request * 5)
        await writer.drain()
        await asyncio.sleep(choices.uniform(0, 2))


async def bad_clients(port: int, seconds: float, request: bytes) -> dict:
    counts: dict = {}
    until = time.monotonic() + seconds
    clients = [bad_client(port, until, request, random.Random(n), counts) for n in range(BAD_CLIENTS)]
    await asyncio.gather(*clients, return_exceptions=True)
    return counts


def measure(arguments: argparse.Namespace, folder: str) -> list[str]:
    archive, request_file = os.path.join(folder, "cnn.rondo"), os.path.join(folder, "request")
    make_archive(archive)
    request = make_request(request_file)
    server = Server(os.path.join(arguments.bin, "rondo"), archive)
    try:
        return loads(arguments, server, request, request_file)
    finally:
        server.process.kill()


def loads(arguments: argparse.Namespace, server: Server, request: bytes, request_file: str) -> list[str]:
    server.wait_until_ready()
    lines = list(HEAD)

    def capacity() -> float:
        closed = [os.path.join(arguments.bin, "benchmark_http_load"), str(server.port), "32", "5", request_file]
        return json.loads(subprocess.run(closed, check=True, capture_output=True, text=True).stdout)["rate"]

    def during(name: str, factor: float, work=lambda: None) -> None:
        rate, before = capacity() * factor, server.memory()
        load = start_load(arguments.bin, server.port, arguments.seconds, rate, request_file)
        work()
        result = json.loads(load.communicate()[0])
        lines.append(row(name, rate, result, before, server.memory()))
        print(lines[-1], flush=True)

    for name, factor in (("half its capacity", 0.5), ("its capacity", 1.0), ("twice its capacity", 2.0)):
        during(name, factor)
    counts: dict = {}
    during(
        f"half, among {BAD_CLIENTS:,} bad clients",
        0.5,
        lambda: counts.update(asyncio.run(bad_clients(server.port, arguments.seconds, request))),
    )
    during("half again, without them", 0.5)
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items()))
    lines += ["", f"Bad connections by kind: {kinds}.", "", "The server's own counts at the end:", "", "```"]
    text = server.get("/metrics")[1]
    lines += [line for line in text.splitlines() if line.startswith(("rondo_requests_total", "rondo_runs_ended"))]
    lines += ["```", "", f"Exit code after SIGTERM: {server.stop()}."]
    return lines


HEAD = [
    "| load | due, 1/s | sent, 1/s | answered 200, 1/s | p50, ms | p99, ms | 200 | shed (503) | others (0: no answer) | "
    "memory at start, MB | at end |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--out", help="a file for the tables, as Markdown")
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with tempfile.TemporaryDirectory() as folder:
        place = (
            f"{machine(1)['processor']}, {os.cpu_count()} processors, which the clients share; "
            f"load average before: {os.getloadavg()[0]:.1f}."
        )
        lines = [place, "", *measure(arguments, folder)]
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.out:
        with open(arguments.out, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
