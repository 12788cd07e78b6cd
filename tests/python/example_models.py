"""The examples' own models, loops and exports, for the tests; as a program, one training run in one way of running.

    python example_models.py WAY THREADS RESULT.npz

trains both examples for 50 steps with settings that are read at start, writes losses and weights, and prints as JSON
what ran where. A way is "off" (the tracer is off and nothing is compiled) or a mode of jit/params.h.
"""

import importlib.util
import json
import os
import sys
from pathlib import Path

import numpy as np

STEPS = 50
EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name):
    """The example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def train_digits(steps=STEPS):
    """The model after so many steps on a part of the digits in small batches, and its losses."""
    digits = example("digits")
    digits.BATCH = 32
    images, _, labels, _ = digits.digits()
    count = 10 * digits.BATCH
    model, losses, _ = digits.train(images[:count], labels[:count], steps // 10, False)
    return model, [loss.item() for loss in losses]


def train_characters(steps=STEPS):
    """The model after so many steps with small batches, and its losses, read at each step."""
    characters = example("characters")
    characters.BATCH = 8
    alphabet, data = characters.encoded(characters.corpus())
    model, losses, _ = characters.train(data, len(alphabet), steps, "characters", read_every=1)
    return model, losses


TRAIN = {"digits": train_digits, "characters": train_characters}


def main():
    way, threads, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    if way == "off":
        os.environ["RONDO_JIT"] = "0"
    import rondo
    from rondo import _C

    rondo.set_num_threads(threads)
    if way == "off":
        _C.set_tracing(False)
    else:
        _C.set_jit_mode(way)
    arrays = {}
    for name, train in TRAIN.items():
        model, losses = train()
        arrays[f"{name} losses"] = np.array(losses, dtype=np.float32)
        for key, tensor in model.state_dict().items():
            arrays[f"{name} {key}"] = tensor.numpy()
    np.savez(path, **arrays)
    counts = rondo.explain()
    print(json.dumps({k: v for k, v in counts.items() if isinstance(v, (int, float))}))


if __name__ == "__main__":
    main()
