"""Trains a character-level language model on the texts of Python's own help, and lets it write a sentence.

The text is `pydoc_data.topics`, which every CPython ships. Sampling stops where the model ends a sentence: a loop whose
length depends on data stays an ordinary loop. Run it with tools/demo, or: python examples/characters.py
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time

import numpy as np
from pydoc_data import topics
from tqdm import tqdm

import rondo
import rondo.nn.functional as F
from rondo import nn

CONTEXT = 48
WIDTH = 64
HEADS = 4
BATCH = 16


class Block(nn.Module):
    """Causal self-attention and a feed-forward layer, each after a layer norm."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)
        self.project = nn.Linear(WIDTH, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.widen = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x, mask):
        batch, length, _ = x.shape

        def heads(t):
            return t.reshape(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2)

        h = self.norm1(x)
        q, k, v = heads(self.query(h)), heads(self.key(h)), heads(self.value(h))
        scores = (q @ k.transpose(-2, -1)) * (1 / math.sqrt(WIDTH // HEADS)) + mask
        mixed = (F.softmax(scores, dim=-1) @ v).transpose(1, 2).reshape(batch, length, WIDTH)
        x = x + self.project(mixed)
        return x + self.narrow(F.gelu(self.widen(self.norm2(x))))


class Model(nn.Module):
    def __init__(self, letters: int) -> None:
        super().__init__()
        self.letters = nn.Embedding(letters, WIDTH)
        self.places = nn.Parameter(rondo.randn(CONTEXT, WIDTH) * 0.02)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, letters)
        future = np.triu(np.full((CONTEXT, CONTEXT), -1e9, dtype=np.float32), 1)
        self.register_buffer("mask", rondo.tensor(future))

    def forward(self, x):
        length = x.shape[1]
        h = self.letters(x) + self.places[:length]
        for block in self.blocks:
            h = block(h, self.mask[:length, :length])
        return self.head(self.norm(h))


def corpus() -> str:
    return "\n".join(topics.topics[name] for name in sorted(topics.topics))


def train(data: np.ndarray, letters: int, steps: int, label: str, read_every: int = 10):
    """The model, the losses of the steps at which they are read, and the time of each step in milliseconds."""
    rondo.manual_seed(0)
    places = np.random.default_rng(0)
    model = Model(letters)
    optimizer = rondo.optim.AdamW(model.parameters(), lr=1e-3)
    losses, times = [], []
    for step in tqdm(range(steps), desc=label):
        starts = places.integers(0, len(data) - CONTEXT - 1, BATCH)
        rows = np.stack([data[s : s + CONTEXT + 1] for s in starts])
        x, y = rondo.tensor(rows[:, :-1]), rondo.tensor(rows[:, 1:].reshape(-1))
        begin = time.perf_counter()
        loss = F.cross_entropy(model(x).reshape(-1, letters), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        times.append((time.perf_counter() - begin) * 1e3)
        if step % read_every == read_every - 1:
            losses.append(loss.item())
    return model, losses, times


def write(model, alphabet: str, start: str, most: int = 200) -> str:
    """Samples until the model ends a sentence."""
    model.eval()
    rondo.manual_seed(1)
    text = [alphabet.index(c) for c in start]
    with rondo.no_grad():
        while len(text) < most:
            x = rondo.tensor(np.array([text[-CONTEXT:]]))
            chances = F.softmax(model(x)[0, -1] / 0.7, dim=-1)
            text.append(int(rondo.multinomial(chances, 1).item()))
            if alphabet[text[-1]] == ".":
                break
    return "".join(alphabet[i] for i in text)


def export(model, example, path: str) -> None:
    """Writes an archive that takes any number of lines of CONTEXT characters."""
    rondo.save(rondo.trace(model, example, dynamic={"x": {0: "batch"}}), path)


def encoded(text: str):
    """The alphabet, and the first 200,000 characters as places in it."""
    alphabet = "".join(sorted(set(text)))
    return alphabet, np.array([alphabet.index(c) for c in text[:200_000]], dtype=np.int64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    options = parser.parse_args()
    text = corpus()
    alphabet, data = encoded(text)
    print(f"{len(text)} characters, {len(alphabet)} different ones")

    with rondo.jit.tracing(False):
        _, plain_losses, plain_times = train(data, len(alphabet), 50, "tracer off")
    before = rondo.explain()
    model, losses, times = train(data, len(alphabet), options.steps, "training")
    now = rondo.explain()

    print(f"step, tracer off:               {statistics.median(plain_times):.2f} ms")
    print(f"step, last 50 with the tracer:  {statistics.median(times[-50:]):.2f} ms")
    calls = now["calls"] - before["calls"]
    print(
        f"captured: {now['segments'] - before['segments']} segments; calls deferred into them: "
        f"{(now['matched'] - before['matched']) / calls:.0%}"
    )
    equal = plain_losses == losses[: len(plain_losses)]
    print(f"losses of the first 50 steps, tracer off and on, are equal to the bit: {equal}")
    print(f"loss: {losses[0]:.2f} after 10 steps, {losses[-1]:.2f} at the end")
    print("it writes:", write(model, alphabet, "The "))
    if not equal or losses[-1] > 0.8 * losses[0]:
        sys.exit("characters: the losses differ or did not fall")


if __name__ == "__main__":
    main()
