"""Training that is stopped, saved and gone on with in another process has the bits of one run."""

import subprocess
import sys

import pytest

import rondo
from rondo.utils.data import DataLoader, TensorDataset

PROGRAM = '''
import sys
import rondo
from rondo import nn, optim
from rondo.utils.data import DataLoader, TensorDataset

start, end, source, target = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
rondo.manual_seed(4)
x = rondo.randn(40, 3)
y = (x * x).sum(1, keepdim=True)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Dropout(0.2), nn.Linear(8, 1))
optimizer = optim.AdamW(net.parameters(), lr=0.01)
loader = DataLoader(TensorDataset(x, y), batch_size=4, shuffle=True)
if source != "-":
    state = rondo.load(source)
    net.load_state_dict(state["net"])
    optimizer.load_state_dict(state["optimizer"])
    loader.load_state_dict(state["loader"])
    rondo.set_rng_state(state["rng"])
step = start
while step < end:
    for inputs, targets in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(net(inputs), targets).backward()
        optimizer.step()
        step += 1
        if step == end:
            break
rondo.save(
    {
        "net": net.state_dict(),
        "optimizer": optimizer.state_dict(),
        "loader": loader.state_dict(),
        "rng": rondo.get_rng_state(),
    },
    target,
)
'''


def run(*args):
    subprocess.run([sys.executable, "-c", PROGRAM, *map(str, args)], check=True, timeout=120)


def test_fifty_steps_in_two_processes_are_fifty_steps_in_one(tmp_path):
    run(0, 50, "-", tmp_path / "whole")
    run(0, 25, "-", tmp_path / "half")
    run(25, 50, tmp_path / "half", tmp_path / "rest")
    whole, rest = rondo.load(tmp_path / "whole"), rondo.load(tmp_path / "rest")
    for name, tensor in whole["net"].items():
        assert tensor.tolist() == rest["net"][name].tolist(), name
    assert whole["rng"].tolist() == rest["rng"].tolist()
    assert whole["loader"] == rest["loader"]


@pytest.mark.parametrize("has_generator", [False, True])
@pytest.mark.parametrize("epochs", [0, 1])
def test_a_loader_saved_between_epochs_goes_on_with_the_order_of_the_next(epochs, has_generator):
    def make():
        rondo.manual_seed(3)
        generator = rondo.Generator().manual_seed(7) if has_generator else None
        data = TensorDataset(rondo.arange(12))
        return DataLoader(data, batch_size=3, shuffle=True, generator=generator)

    def orders(loader, count):
        return [[batch[0].tolist() for batch in loader] for _ in range(count)]

    whole = make()
    orders(whole, epochs)
    state, rng = whole.state_dict(), rondo.get_rng_state()
    expected, after = orders(whole, 2), rondo.get_rng_state().tolist()
    resumed = make()
    resumed.load_state_dict(state)
    rondo.set_rng_state(rng)
    assert orders(resumed, 2) == expected
    assert rondo.get_rng_state().tolist() == after
