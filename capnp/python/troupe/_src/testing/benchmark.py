"""A base class for benchmarks of programs."""

from __future__ import annotations

import inspect
import numbers
import os
import re
import statistics
import time
from typing import Any, Dict, List, Optional, Type

from troupe._src.graph.graph import get_default_session
from troupe._src.messages.benchmark_messages import BenchmarkEntries
from troupe._src.messages.config import ConfigProto, RewriterConfig, RunOptions
from troupe._src.messages.metadata import RunMetadata
from troupe._src.messages.timeline import Timeline
from troupe._src.platform import logging
from troupe._src.session.session import Session
from troupe._src.set_module import set_module

# What tells where reports are written, as in TensorFlow's own tools.
_REPORTS = "TEST_REPORT_FILE_PREFIX"

_classes: List[Type[Benchmark]] = []


@set_module("troupe.test")
class Benchmark:
    """What classes of benchmarks inherit; `--benchmarks=REGEX` of `tf.test.main` runs them.

    The benchmarks are the methods whose names begin with `benchmark`.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _classes.append(cls)

    @classmethod
    def is_abstract(cls) -> bool:
        """Whether it is one of the classes that benchmarks inherit."""
        return cls.__name__ in ("Benchmark", "TensorFlowBenchmark")

    def report_benchmark(
        self,
        iters: Optional[int] = None,
        cpu_time: Optional[float] = None,
        wall_time: Optional[float] = None,
        throughput: Optional[float] = None,
        extras: Optional[Dict[str, Any]] = None,
        name: Optional[str] = None,
        metrics: Optional[List[Dict[str, Any]]] = None,
    ) -> None:
        """Prints a result, or writes it to a new file, if TEST_REPORT_FILE_PREFIX is set.

        Args:
            iters: How many times it was run.
            cpu_time: The seconds of a processor.
            wall_time: The seconds.
            throughput: The megabytes of a second.
            extras: More numbers and texts.
            name: What is measured, by default the name of the method.
            metrics: More numbers: each has "name" and "value", and may have the bounds "min_value"
                and "max_value".

        Raises:
            TypeError: The extras are no dict, or the metrics no list of such dicts.
            OSError: The file exists already.
        """
        found = {
            "iters": iters, "cpu_time": cpu_time, "wall_time": wall_time, "throughput": throughput,
        }  # fmt: skip
        found = {key: value for key, value in found.items() if value is not None}
        entries = BenchmarkEntries()
        entry = entries.entry.add(name=self._full_name(name), **found)
        _add_extras(entry, extras)
        _add_metrics(entry, metrics)
        _report(entries)

    def _full_name(self, name: Optional[str]) -> str:
        """With the class; by default the outermost method of a benchmark that is running."""
        for frame in reversed(inspect.stack(context=0)):
            caller = frame.frame.f_locals.get("self")
            if isinstance(caller, Benchmark):
                return f"{type(caller).__name__}.{name or frame.function}"
        raise ValueError("Unable to determine calling Benchmark class.")

    def run_op_benchmark(
        self,
        sess: Session,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: Optional[str] = None,
        extras: Optional[Dict[str, Any]] = None,
        mbs: float = 0,
    ) -> Dict[str, Any]:
        """Measures steps of a session, and reports the median of their times.

        Args:
            sess: The session.
            op_or_tensor: What it runs.
            feed_dict: What it is fed.
            burn_iters: How many steps run before.
            min_iters: How many steps are measured.
            store_trace: Whether the result has the trace of one more step, in the form of Chrome.
            store_memory_usage: Whether the extras have the greatest memory of one more step, for
                each device.
            name: As of `report_benchmark`.
            extras: Likewise.
            mbs: The megabytes that a step moves, of which the throughput is computed.

        Returns:
            What was reported, and the trace as an extra.
        """
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict)
        seconds = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(op_or_tensor, feed_dict)
            seconds.append(time.perf_counter() - start)
        found, unreported = dict(extras or {}), {}
        if store_trace or store_memory_usage:
            metadata = RunMetadata()
            options = RunOptions(trace_level=RunOptions.FULL_TRACE)
            sess.run(op_or_tensor, feed_dict, options, metadata)
            if store_trace:
                trace = Timeline(metadata.step_stats).generate_chrome_trace_format()
                unreported["full_trace_chrome_format"] = trace
            if store_memory_usage:
                found.update(_memory_of(metadata))
        median = statistics.median(seconds) if seconds else -1
        values: Dict[str, Any] = {
            "iters": min_iters, "wall_time": median, "extras": found, "name": name,
            "throughput": mbs / median,
        }  # fmt: skip
        self.report_benchmark(**values)
        return {**values, "extras": {**found, **unreported}}

    def evaluate(self, tensors: Any) -> Any:
        """The values in the default session.

        Args:
            tensors: What `tf.Session.run` fetches.

        Returns:
            What `tf.Session.run` gives.

        Raises:
            ValueError: There is no default session.
        """
        session = get_default_session()
        if session is None:
            raise ValueError("a benchmark evaluates tensors in the default session; there is none")
        return session.run(tensors)


def _add_extras(entry: Any, extras: Optional[Dict[str, Any]]) -> None:
    if extras is None:
        return
    if not isinstance(extras, dict):
        raise TypeError("extras must be a dict")
    for key, value in extras.items():
        if isinstance(value, numbers.Number):
            entry.extras[key].double_value = value
        else:
            entry.extras[key].string_value = str(value)


def _add_metrics(entry: Any, metrics: Optional[List[Dict[str, Any]]]) -> None:
    if metrics is None:
        return
    if not isinstance(metrics, list):
        raise TypeError("metrics must be a list")
    for metric in metrics:
        for name in ("name", "value"):
            if name not in metric:
                raise TypeError(f"a metric must have a '{name}' field")
        added = entry.metrics.add(name=metric["name"], value=metric["value"])
        for name in ("min_value", "max_value"):
            if name in metric:
                getattr(added, name).value = metric[name]


def _report(entries: Any) -> None:
    name = entries.entry[0].name
    logging.info("Benchmark [%s] %s", name, entries)
    prefix = os.environ.get(_REPORTS)
    if prefix is None:
        print(entries)
        return
    with open(prefix + name.replace("/", "__"), "xb") as file:
        file.write(entries.SerializeToString())


def _memory_of(metadata: Any) -> Dict[str, int]:
    found = {}
    for device in metadata.step_stats.dev_stats:
        kind = device.device.rpartition("/")[2].replace("device:", "").replace(":", "_")
        found[f"allocator_maximum_num_bytes_{kind}"] = device.memory_peak
    return found


def benchmark_config() -> ConfigProto:
    """Options of sessions in which nodes are measured as they are in the graph."""
    config = ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = RewriterConfig.OFF
    return config


def run_benchmarks(regex: str) -> None:
    """Runs the benchmarks whose `module.Class.method` has a match.

    Args:
        regex: The regular expression, or "all".
    """
    for cls in list(_classes):
        instance: Any = None
        for name in dir(cls):
            full_name = f"{cls.__module__}.{cls.__name__}.{name}"
            if not name.startswith("benchmark") or not callable(getattr(cls, name)):
                continue
            if regex == "all" or re.search(regex, full_name):
                instance = instance or cls()
                getattr(instance, name)()
