"""The workloads, each the same program for Troupe and for TensorFlow.

A workload's function gets a side (troupe_side or tensorflow_side) and the seconds to measure, and
returns samples in the workload's unit. It runs in a process without sessions, as the only user of
its cluster.
"""

import dataclasses
from typing import Callable, Optional, Tuple, Union

import idle
import queues
import steps
from local import kernels, networks, products
from local import nodes as local
from program import MIB
from training import training
from transfers import BULK_MIB, read_elsewhere, scalar_beside_bulk


@dataclasses.dataclass(frozen=True)
class Workload:
    """A row of the comparison.

    `quantile` is the one of the samples that is compared. `floor` is a function of floors.py with
    its argument.
    """

    name: str
    what: str
    unit: str
    measure: Callable
    quantile: float = 0.5
    floor: Optional[Tuple[str, Union[int, str]]] = None


def _small_steps():
    client, client_and_task = ("round_trip", 1), ("round_trip", 2)
    ten_messages = ("round_trip", 6)  # the client's, and ten messages one way
    return [
        Workload("null_step", "step of one constant", "us", steps.null_step, floor=client),
        Workload(
            "null_step_callable",
            "step of one constant, by make_callable",
            "us",
            steps.null_step_callable,
            floor=client,
        ),
        Workload(
            "two_tasks",
            "step over 2 tasks with one scalar edge",
            "us",
            steps.two_tasks,
            floor=client_and_task,
        ),
        Workload(
            "ten_hops",
            "step whose scalar goes 10 times between 2 tasks",
            "us",
            steps.ten_hops,
            floor=ten_messages,
        ),
    ] + [
        Workload(
            f"tasks_{count}",
            f"step that changes a variable on each of {count} tasks",
            "us",
            steps.many_tasks(count),
            floor=client_and_task,
        )
        for count in (8, 24)
    ]


def _concurrent_steps():
    of_threads, of_sessions = steps.threads_of_a_session(8), steps.sessions_of_a_node(128)
    return [
        Workload("threads_8", "null steps of 8 threads, one session", "steps/s", of_threads),
        Workload("sessions_128", "null steps of 128 sessions", "steps/s", of_sessions),
    ]


def _transfers():
    return [
        Workload(
            f"read_{mebibytes}",
            f"variable of {mebibytes} MiB read by another process",
            "GB/s",
            read_elsewhere(mebibytes),
            floor=("tcp_bandwidth", mebibytes * MIB),
        )
        for mebibytes in (1, 16, 100, 512)
    ] + [
        Workload(
            f"read_tcp_{mebibytes}",
            f"variable of {mebibytes} MiB read over TCP",
            "GB/s",
            read_elsewhere(mebibytes, over_tcp=True),
            floor=("tcp_bandwidth", mebibytes * MIB),
        )
        for mebibytes in (1, 16, 100, 1024)
    ] + [
        Workload(
            "read_100_by_8",
            "variable of 100 MiB read by 8 processes, in all",
            "GB/s",
            read_elsewhere(100, readers=8),
            floor=("memcpy", 100 * MIB),
        ),
    ] + [
        Workload(
            name,
            f"p99 of two_tasks while {BULK_MIB} MiB tensors go the same way{how}",
            "ms",
            scalar_beside_bulk(over_tcp),
            quantile=0.99,
        )
        for name, how, over_tcp in (
            ("scalar_beside_bulk", "", False),
            ("scalar_beside_tcp", ", over TCP", True),
        )
    ]


def _idle_nodes():
    return [
        Workload("idle_memory", "memory of an idle node", "MiB", idle.memory),
        Workload("idle_cpu", "processor time of an idle node in a second", "us", idle.cpu_time),
    ]


def _trainings():
    return [
        Workload(
            f"train_{sizes[0]}",
            f"training {'-'.join(map(str, sizes))}, batch {batch}, one ps, 2 asynchronous workers",
            "steps/s",
            training(sizes, batch),
        )
        for sizes, batch in (((64, 128, 10), 32), ((784, 512, 512, 10), 64))
    ]


def _local_nodes():
    return [
        Workload(name, f"{what} in the client's process", "ns/op", local.local_nodes(build))
        for name, what, build in (
            ("local_chain", "chain of 10,000 Neg", local.chain_of_negatives),
            ("local_fan", "fan of 10,000 Neg", local.fan_of_negatives),
            ("local_no_ops", "fan of 10,000 NoOp", local.fan_of_no_ops),
        )
    ]


def _loops():
    return [
        Workload(name, what, "us/iteration", measure)
        for name, what, measure in (
            ("loop", "while_loop of two variables in the client's process", local.loop),
            ("loop_gradient", "the same with its gradient", local.loop_gradient),
            ("loop_two_tasks", "the same, whose body is on another task", local.loop_of_two_tasks),
        )
    ]


def _queues():
    return [
        Workload(
            "queue_remote",
            "enqueue and dequeue of an element on another task, two steps",
            "us",
            queues.remote,
            floor=("round_trip", 4),
        ),
        Workload(
            "queue_remote_1000", "the same by 1,000 elements", "elements/s", queues.remote_many
        ),
        Workload(
            "queue_local", "elements one by one in the client's process", "elements/s", queues.local
        ),
        Workload(
            "dataset", "records of a file, mapped and batched by 100", "elements/s", queues.dataset
        ),
    ]


def _kernels():
    floor = ("memcpy", 64 * MIB)  # in one thread
    return [
        Workload(f"kernel_{name}", what, "GB/s", kernels.kernel(build), 0.9, floor)
        for name, what, build in (
            ("add", "sum of 16 Mi floats and as many", kernels.add),
            ("chain", "five element-wise ops in a chain, of 16 Mi floats", kernels.chain),
            ("tanh", "tanh of 16 Mi floats", kernels.function("tanh")),
            ("sigmoid", "sigmoid of 16 Mi floats", kernels.function("sigmoid")),
            ("exp", "exp of 16 Mi floats", kernels.function("exp")),
            ("log", "log of 16 Mi floats", kernels.function("log")),
            ("softmax", "softmax of 4096 rows of 1024 floats", kernels.softmax),
            ("sum_rows", "sums of 4096 rows of 4096 floats", kernels.total(axis=1)),
            ("sum_columns", "sums of 4096 columns of 4096 floats", kernels.total(axis=0)),
            ("transpose", "transpose of 4096 x 4096 floats", kernels.transpose),
            ("nchw", "32 images of 128 x 128 from NHWC to NCHW", kernels.channels_first),
            ("gather", "65536 of 65536 rows of 256 floats", kernels.gather),
            ("cast", "16 Mi floats as bfloat16", kernels.cast),
        )
    ]


def _products():
    layers = {  # of ResNet-50: batch, size, channels, filters, kernel, stride
        "conv_56": (8, 56, 64, 64, 3, 1),
        "conv_56_to_256": (8, 56, 64, 256, 1, 1),
        "conv_28": (8, 28, 128, 128, 3, 1),
        "conv_14": (8, 14, 256, 256, 3, 1),
        "conv_7": (8, 7, 512, 512, 3, 1),
        "conv_224": (8, 224, 3, 64, 7, 2),
    }
    return [
        *(
            Workload(
                f"matmul_{size}",
                f"product of two matrices of {size} x {size}",
                "GFLOP/s",
                products.product(size),
                0.9,
                ("dnnl", f"product {size}"),
            )
            for size in (64, 256, 1024, 2048)
        ),
        *(
            Workload(
                name,
                "convolution (batch, size, channels, filters, kernel, stride) " + str(layer),
                "GFLOP/s",
                products.convolution(*layer),
                0.9,
                ("dnnl", "convolution " + " ".join(map(str, layer))),
            )
            for name, layer in layers.items()
        ),
    ]


def _networks():
    return [
        Workload(f"train_{name}", f"training of {what}", "steps/s", networks.network(build))
        for name, what, build in (
            ("lenet", "LeNet, batch 64", networks.lenet),
            ("resnet_18", "ResNet-18, 8 images of 112 x 112", networks.resnet_18),
        )
    ]


WORKLOADS = {
    workload.name: workload
    for workload in [
        *_small_steps(),
        *_concurrent_steps(),
        *_transfers(),
        *_idle_nodes(),
        *_trainings(),
        *_local_nodes(),
        *_loops(),
        *_queues(),
        *_kernels(),
        *_products(),
        *_networks(),
    ]
}
