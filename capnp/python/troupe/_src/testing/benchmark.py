"""Measurements of how long nodes take."""

from __future__ import annotations

import time
from typing import Any, Dict, Optional

import numpy as np

from troupe._src.graph.graph import get_default_session
from troupe._src.platform import logging
from troupe._src.set_module import set_module


@set_module("troupe.test")
class Benchmark:
    """The base class of measurements, which are methods whose names begin with "benchmark"."""

    def report_benchmark(
        self,
        iters: Optional[int] = None,
        cpu_time: Optional[float] = None,
        wall_time: Optional[float] = None,
        throughput: Optional[float] = None,
        extras: Optional[Dict[str, Any]] = None,
        name: Optional[str] = None,
    ) -> None:
        """Logs a result.

        Args:
            iters: How often it ran.
            cpu_time: The seconds of a processor for each time.
            wall_time: The seconds for each time.
            throughput: Megabytes a second.
            extras: More numbers or texts, by name.
            name: The name of the measurement, by default that of the class.
        """
        values = {
            "iters": iters, "cpu_time": cpu_time, "wall_time": wall_time,
            "throughput": throughput, **(extras or {}),
        }  # fmt: skip
        shown = ", ".join(f"{key}: {value}" for key, value in values.items() if value is not None)
        logging.info("Benchmark [%s] %s", name or type(self).__name__, shown)

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors in the default session.

        Args:
            tensors: What `tf.Session.run` fetches.

        Returns:
            What it gives.

        Raises:
            ValueError: There is no default session.
        """
        return self._session().run(tensors)

    def _session(self) -> Any:
        session = get_default_session()
        if session is None:
            raise ValueError("There is no default session to evaluate tensors in.")
        return session

    def run_op_benchmark(
        self,
        sess: Any,
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
        """Runs a node often, and reports the median of its times.

        Args:
            sess: The session.
            op_or_tensor: What it runs.
            feed_dict: What it feeds.
            burn_iters: How often it runs before.
            min_iters: How often it is measured.
            store_trace: Has no effect.
            store_memory_usage: Has no effect.
            name: The name of the measurement.
            extras: More numbers or texts that are reported.
            mbs: The megabytes that a run processes, for the throughput.

        Returns:
            What is reported: iters, wall_time, extras, name and throughput.
        """
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict=feed_dict)
        times = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            times.append(time.perf_counter() - start)
        median = float(np.median(times))
        spread = {
            "wall_time_mean": float(np.mean(times)), "wall_time_stdev": float(np.std(times)),
        }  # fmt: skip
        report: Dict[str, Any] = {
            "iters": min_iters, "wall_time": median, "extras": {**spread, **(extras or {})},
            "name": name, "throughput": mbs / median,
        }  # fmt: skip
        self.report_benchmark(**report)
        return report
