"""Measures the rows of tools/bench --gpu by PyTorch, as troupe-gpu-bench does by Troupe.

Prints a line of JSON for each row: its name, value and unit, or an error. Exits with code 77 where
PyTorch or a GPU is missing, and says which.
"""

import argparse
import json
import re
import statistics
import sys
import time
import warnings

SKIPPED = 77
WARM_UP = LEAST = 3
BATCH = 32  # images of a convolution
CONVOLUTIONS = NODES = 50  # of a step
MATRIX = (65536, 1024)
MATRIX_BYTES = 4.0 * MATRIX[0] * MATRIX[1]
CHAIN = 1000
TRAINING_STEPS = 20  # between two waits for the card
PRECISIONS = ("float32", "tf32", "bfloat16")
PRODUCTS = {1024: 50, 2048: 50, 4096: 20, 8192: 8}  # sizes, and how many are a step
# kernel, stride, inputs, outputs and size of the images
LAYERS = [
    (7, 2, 3, 64, 224),
    (1, 1, 64, 256, 56),
    (3, 1, 64, 64, 56),
    (3, 1, 128, 128, 28),
    (3, 1, 256, 256, 14),
    (1, 1, 256, 1024, 14),
    (3, 1, 512, 512, 7),
]

try:
    import torch
    import torch.nn.functional as F
except ImportError as error:
    torch = None
    MISSING = f"PyTorch is missing: {error}"


def median_seconds(step, seconds):
    """The median time of a step whose work has ended: after a warm-up, of three at least."""
    times = []
    for _ in range(WARM_UP):
        step()
    torch.cuda.synchronize()
    end = time.perf_counter() + seconds
    while len(times) < LEAST or time.perf_counter() < end:
        begin = time.perf_counter()
        step()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def repeated(compute, count):
    """A step of that many results, each of which is dropped at once."""

    def step():
        for _ in range(count):
            compute()

    return step


def choose(precision):
    """Allows TF32, or not; the dtype of the elements."""
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    return torch.bfloat16 if precision == "bfloat16" else torch.float32


def product(size, count, precision):
    def measure(seconds):
        dtype = choose(precision)
        x, y = (torch.randn(size, size, device="cuda").to(dtype) for _ in range(2))
        one = median_seconds(repeated(lambda: torch.mm(x, y), count), seconds) / count
        return one * 1e6, f"{2 * size**3 / one / 1e12:.1f} TFLOP/s"

    return measure


def convolution(layer, precision):
    """That of the better layout of the images."""
    kernel, stride, inputs, outputs, size = layer

    def measure(seconds):
        dtype = choose(precision)
        times = {}
        for layout in (torch.channels_last, torch.contiguous_format):
            x = torch.randn(BATCH, inputs, size, size, device="cuda")
            weight = torch.randn(outputs, inputs, kernel, kernel, device="cuda")
            x, weight = (t.to(dtype).to(memory_format=layout) for t in (x, weight))
            step = repeated(
                lambda: F.conv2d(x, weight, stride=stride, padding=kernel // 2), CONVOLUTIONS
            )
            times[layout] = median_seconds(step, seconds / 2) / CONVOLUTIONS
        texts = [f"{time * 1e6:.1f} us" for time in times.values()]
        return min(times.values()) * 1e6, f"channels last {texts[0]}, first {texts[1]}"

    return measure


def of_memory(compute, inputs, passes):
    """The speed of what reads or writes matrices `passes` times."""

    def measure(seconds):
        tensors = [torch.randn(*MATRIX, device="cuda") for _ in range(inputs)]
        one = median_seconds(repeated(lambda: compute(*tensors), NODES), seconds) / NODES
        return passes * MATRIX_BYTES / one / 1e9, f"{one * 1e6:.1f} us"

    return measure


def copy(seconds):
    source, target = (torch.empty(*MATRIX, device="cuda") for _ in range(2))
    return of_memory(lambda: target.copy_(source), 0, 2)(seconds)


def add_repeatedly(x, y, ops):
    for _ in range(ops):
        x = x + y
    return x


def small_tensors():
    return [torch.randn(16, device="cuda") for _ in range(2)]


def chain(ops):
    def measure(seconds):
        x, y = small_tensors()
        return median_seconds(lambda: add_repeatedly(x, y, ops), seconds) / ops * 1e6, ""

    return measure


def replayed_chain(seconds):
    x, y = small_tensors()
    add_repeatedly(x, y, CHAIN)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        add_repeatedly(x, y, CHAIN)
    return median_seconds(graph.replay, seconds) / CHAIN * 1e6, ""


def training(seconds):
    choose("float32")
    layers = []
    for inputs, outputs in ((784, 512), (512, 512), (512, 10)):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers[:-1]).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    images = torch.randn(128, 784, device="cuda")
    labels = torch.randint(10, (128,), device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()

    one = median_seconds(repeated(step, TRAINING_STEPS), seconds) / TRAINING_STEPS
    return one * 1e6, f"{TRAINING_STEPS} steps without a wait"


def overlap(is_pinned):
    """Copies with a stream of their own, and products that wait for them, two at a time."""
    steps, size, columns = 32, 8192, 2048

    def measure(seconds):
        choose("float32")
        source = torch.randn(size, size, pin_memory=is_pinned)
        factor = torch.randn(size, columns, device="cuda")
        targets = [torch.empty(size, size, device="cuda") for _ in range(2)]
        copies, computes = torch.cuda.Stream(), torch.cuda.Stream()
        used = [torch.cuda.Event() for _ in targets]

        def run(is_copied, is_computed):
            for i in range(steps):
                target, end = targets[i % 2], used[i % 2]
                if is_copied:
                    with torch.cuda.stream(copies):
                        copies.wait_event(end)
                        target.copy_(source, non_blocking=True)
                if is_computed:
                    if is_copied:
                        computes.wait_stream(copies)
                    with torch.cuda.stream(computes):
                        torch.mm(target, factor)
                        end.record(computes)

        parts = [(True, False), (False, True), (True, True)]
        times = [median_seconds(lambda: run(*part), seconds / 3) / steps for part in parts]
        texts = [f"{time * 1e3:.2f} ms" for time in times]
        note = f"copy {texts[0]}, compute {texts[1]}, both {texts[2]}"
        return 100 * max(times[:2]) / times[2], note

    return measure


def all_rows():
    """The unit of each row by its name, and what measures it."""

    def gate(x, y, z):
        return torch.tanh(x) * torch.sigmoid(y) + z

    rows = {
        "copy": ("GB/s", copy),
        "chain_relu": ("GB/s", of_memory(lambda x: torch.relu(x * 2.0 + 3.0), 1, 2)),
        "chain_gate": ("GB/s", of_memory(gate, 3, 4)),
        "chain_gelu": ("GB/s", of_memory(lambda x: F.gelu(x, approximate="tanh"), 1, 2)),
        "softmax": ("GB/s", of_memory(lambda x: torch.softmax(x, 1), 1, 2)),
        "layer_norm": ("GB/s", of_memory(lambda x: F.layer_norm(x, MATRIX[1:]), 1, 2)),
        "sum": ("GB/s", of_memory(lambda x: x.sum(), 1, 1)),
    }
    for size, count in PRODUCTS.items():
        for precision in PRECISIONS:
            rows[f"matmul_{size}_{precision}"] = ("us", product(size, count, precision))
    for layer in LAYERS:
        kernel, _, inputs, outputs, size = layer
        for precision in PRECISIONS:
            name = f"conv_{kernel}x{kernel}_{inputs}_{outputs}_{size}_{precision}"
            rows[name] = ("us", convolution(layer, precision))
    rows["tiny_ops"] = ("us", chain(CHAIN))
    rows["tiny_ops_graph"] = ("us", replayed_chain)
    rows["tiny_ops_fused"] = ("us", chain(CHAIN))
    rows["small_step"] = ("us", chain(1))
    rows["mlp_training"] = ("us", training)
    rows["overlap_pinned"] = ("%", overlap(True))
    rows["overlap_pageable"] = ("%", overlap(False))
    return rows


def print_row(rows, name, seconds):
    """Measures the row, and prints it as a line of JSON."""
    line = {"name": name, "unit": rows[name][0]}
    measure = rows[name][1]
    try:
        with torch.inference_mode(mode=name != "mlp_training"):
            line["value"], note = measure(seconds)
        if note:
            line["note"] = note
    except Exception as error:  # the other rows go on
        line["error"] = f"{type(error).__name__}: {error}".splitlines()[0]
    print(json.dumps(line), flush=True)
    torch.cuda.empty_cache()


def fault():
    """Why nothing can be measured, or None."""
    if not torch:
        return MISSING
    return None if torch.cuda.is_available() else "PyTorch sees no GPU"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="REGEX", type=re.compile, default="")
    parser.add_argument("--seconds", type=float, default=0.3, help="how long a row is measured")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    parser.add_argument("--serve", action="store_true", help="answer side_process.SideProcess")
    options = parser.parse_args()
    rows = all_rows()
    names = [name for name in rows if re.search(options.only, name)]
    if options.list:
        print("\n".join(names))
        return 0
    if fault():
        print(f"skipped: {fault()}", file=sys.stderr)
        return SKIPPED
    warnings.simplefilter("ignore")  # those of the names for TF32, which later versions change
    torch.backends.cudnn.benchmark = True
    if options.serve:
        device = f"{torch.cuda.get_device_name()}, cuDNN {torch.backends.cudnn.version()}"
        print(json.dumps({"version": f"{torch.__version__} ({device})"}), flush=True)
        for request in map(json.loads, sys.stdin):
            print_row(rows, request["workload"], request["seconds"])
    else:
        for name in names:
            print_row(rows, name, options.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
