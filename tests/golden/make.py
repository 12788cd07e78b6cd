#!/usr/bin/env python3
"""Writes the golden archives of the current format: make.py FOLDER.

Archives of a released format are never made again; a new format gets a folder of its own.
"""

import sys
from pathlib import Path

import rondo
from rondo import nn, optim
from rondo.nn import functional as F


class Classifier(nn.Module):
    """A perceptron with a method for its loss."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(3, 8)
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        return self.out(F.gelu(self.hidden(x)))

    def loss(self, x, target):
        return F.cross_entropy(self(x), target)


class Picture(nn.Module):
    """A small convolutional network with normalisation and dropout: two bodies, buffers, draws."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)
        self.norm = nn.BatchNorm2d(2)
        self.out = nn.Linear(2 * 3 * 3, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.conv(x))), 2)
        return self.out(F.dropout(x.flatten(1), 0.25, self.training))


def pieces(x):
    """Sizes in steps and with a limit, and a product of two."""
    if x.shape[1] > 10:
        raise ValueError("at most 10")
    return (x * 0.5).reshape(x.shape[0] * (x.shape[1] // 2), 2, 3)


def sizes():
    x = rondo.randn(2, 4, 3)
    return rondo.trace(pieces, x, {"x": {0: "batch", 1: "seq"}})


def batch():
    """What the tests of fine-tuning train on, in every language."""
    x = rondo.tensor([(i * 7 % 11 - 5) / 4 for i in range(24)]).reshape(8, 3)
    return x, rondo.tensor([i % 2 for i in range(8)])


def fine_tune():
    model = Classifier()
    x, target = batch()
    loss = rondo.jit.Method(model.loss, (x, target), {"x": {0: "batch"}, "target": {0: "batch"}})
    return rondo.trace(
        model, x, {"x": {0: "batch"}}, mode="both", output_names=["logits"], methods={"loss": loss}
    )


def train(program, optimizer, steps=10):
    x, target = batch()
    for _ in range(steps):
        optimizer.zero_grad()
        program.run("loss", x, target).backward()
        optimizer.step()


def write(folder):
    rondo.manual_seed(0)
    start = folder / "fine_tune.rondo"
    rondo.save(fine_tune(), start)
    rondo.save(rondo.trace(Picture(), rondo.randn(2, 1, 6, 6), mode="both"), folder / "cnn.rondo")
    rondo.save(rondo.trace(lambda x: F.dropout(x), rondo.randn(16)), folder / "random.rondo")
    rondo.save(sizes(), folder / "sizes.rondo")
    for name, kind, settings in (
        ("adam", optim.Adam, {"lr": 0.05, "weight_decay": 0.01}),
        ("sgd", optim.SGD, {"lr": 0.1, "momentum": 0.9, "dampening": 0.1}),
    ):
        program = rondo.load(start).train()
        train(program, kind(program.parameters(), **settings))
        rondo.save(program, folder / f"fine_tuned_{name}.rondo")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
