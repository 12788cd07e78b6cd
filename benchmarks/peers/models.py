"""Rows of whole training steps, for Rondo and PyTorch."""

from __future__ import annotations

import math

import numpy as np

from .libraries import Library, Work


def _training(t: Library, model, loss_of, optimizer_name="Adam", **options) -> Work:
    """A step: loss, gradients, optimizer. `loss_of` is what torch.compile gets, as its guide says."""
    t.fill(model)
    options = {"lr": 1e-3, **options}
    optimizer = getattr(t.lib.optim, optimizer_name)(model.parameters(), **options)
    compiled = t.compile(loss_of)
    last = []

    def step():
        loss = compiled()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        last[:] = [loss]

    return Work(step, lambda: last[0].item())


def _labels(t: Library, classes: int, *shape: int):
    return t.lib.tensor(t.random.integers(0, classes, shape))


def small_mlp(t: Library) -> Work:
    nn = t.lib.nn
    model = nn.Sequential(
        nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1)
    )
    x, y = t.tensor(16, 16), t.tensor(16, 1)
    return _training(t, model, lambda: nn.functional.mse_loss(model(x), y))


def mlp(t: Library) -> Work:
    nn = t.lib.nn
    model = nn.Sequential(
        nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10)
    )
    x, y = t.tensor(64, 784), _labels(t, 10, 64)
    return _training(t, model, lambda: nn.functional.cross_entropy(model(x), y))


def make_cnn(nn):
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 7 * 7, 10),
    )  # fmt: skip


def cnn(t: Library) -> Work:
    nn = t.lib.nn
    model = make_cnn(nn)
    x, y = t.tensor(64, 1, 28, 28), _labels(t, 10, 64)
    return _training(t, model, lambda: nn.functional.cross_entropy(model(x), y))


def _gpt(t: Library, layers=4, width=128, heads=4, length=64, letters=65):
    nn, F = t.lib.nn, t.lib.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1 = nn.LayerNorm(width)
            self.qkv = nn.Linear(width, 3 * width)
            self.project = nn.Linear(width, width)
            self.norm2 = nn.LayerNorm(width)
            self.widen = nn.Linear(width, 4 * width)
            self.narrow = nn.Linear(4 * width, width)

        def forward(self, x):
            batch, n, _ = x.shape
            parts = self.qkv(self.norm1(x)).split(width, dim=2)
            q, k, v = (p.view(batch, n, heads, width // heads).transpose(1, 2) for p in parts)
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.project(mixed.transpose(1, 2).reshape(batch, n, width))
            return x + self.narrow(F.gelu(self.widen(self.norm2(x))))

    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.letters = nn.Embedding(letters, width)
            self.places = nn.Embedding(length, width)
            self.blocks = nn.ModuleList([Block() for _ in range(layers)])
            self.norm = nn.LayerNorm(width)
            self.head = nn.Linear(width, letters, bias=False)

        def forward(self, x):
            h = self.letters(x) + self.places(t.lib.arange(x.shape[1]))
            for block in self.blocks:
                h = block(h)
            return self.head(self.norm(h))

    return Gpt()


def gpt(t: Library) -> Work:
    model = _gpt(t)
    x, y = _labels(t, 65, 12, 64), _labels(t, 65, 12 * 64)
    cross_entropy = t.lib.nn.functional.cross_entropy
    return _training(
        t, model, lambda: cross_entropy(model(x).reshape(-1, 65), y), "AdamW", weight_decay=0.1
    )


def lstm_by_hand(t: Library) -> Work:
    """A cell as people write it, without nn.LSTM: batch 32, 25 steps, width 64."""
    lib, nn = t.lib, t.lib.nn
    batch, steps, width = 32, 25, 64

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.input = nn.Linear(width, 4 * width)
            self.state = nn.Linear(width, 4 * width)
            self.head = nn.Linear(width, 1)

        def forward(self, x):
            h, c = lib.zeros(batch, width), lib.zeros(batch, width)
            for i in range(steps):
                a, f, g, o = (self.input(x[i]) + self.state(h)).chunk(4, 1)
                c = lib.sigmoid(f) * c + lib.sigmoid(a) * lib.tanh(g)
                h = lib.sigmoid(o) * lib.tanh(c)
            return self.head(h)

    model = Model()
    x, y = t.tensor(steps, batch, width), t.tensor(batch, 1)
    return _training(t, model, lambda: nn.functional.mse_loss(model(x), y))


def lstm(t: Library) -> Work:
    nn = t.lib.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(128, 128)
            self.head = nn.Linear(128, 1)

        def forward(self, x):
            return self.head(self.lstm(x)[0][-1])

    model = Model()
    x, y = t.tensor(50, 32, 128), t.tensor(32, 1)
    return _training(t, model, lambda: nn.functional.mse_loss(model(x), y))


def pinn(t: Library) -> Work:
    """u'' = -pi^2 sin(pi x) with u(-1) = u(1) = 0. Source: Raissi et al. 2019, doi:10.1016/j.jcp.2018.10.045."""
    lib, nn = t.lib, t.lib.nn
    sizes = (1, 64, 64, 64, 1)
    layers = [f for i, o in zip(sizes, sizes[1:]) for f in (nn.Linear(i, o), nn.Tanh())]
    model = nn.Sequential(*layers[:-1])
    points = np.linspace(-1, 1, 1024, dtype=np.float32)[:, None]
    x = lib.tensor(points).requires_grad_()
    force = lib.tensor((-math.pi**2 * np.sin(math.pi * points)).astype(np.float32))
    ends = lib.tensor(np.array([[-1], [1]], dtype=np.float32))

    def loss_of():
        u = model(x)
        (slope,) = lib.autograd.grad(u.sum(), x, create_graph=True)
        (bend,) = lib.autograd.grad(slope.sum(), x, create_graph=True)
        return ((bend - force) ** 2).mean() + (model(ends) ** 2).mean()

    return _training(t, model, loss_of)
