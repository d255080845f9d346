"""Helpers for tests of programs, on Python's unittest."""

from unittest import mock

from troupe._src.testing.benchmark import (
    Benchmark,
    benchmark_config,
)
from troupe._src.testing.gradient_checker import (
    compute_gradient,
    compute_gradient_error,
)
from troupe._src.testing.local_cluster import (
    create_local_cluster,
)
from troupe._src.session.local_gpus import (
    gpu_device_name,
    is_built_with_cuda,
    is_built_with_gpu_support,
    is_gpu_available,
)
from troupe._src.testing.test_case import (
    TestCase,
    get_temp_dir,
    is_built_with_rocm,
    is_built_with_xla,
    main,
)
from troupe._src.testing.graph_comparison import StubOutForTesting, assert_equal_graph_def

__all__ = [
    "Benchmark",
    "StubOutForTesting",
    "TestCase",
    "assert_equal_graph_def",
    "benchmark_config",
    "compute_gradient",
    "compute_gradient_error",
    "create_local_cluster",
    "get_temp_dir",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_built_with_gpu_support",
    "is_built_with_rocm",
    "is_built_with_xla",
    "is_gpu_available",
    "main",
    "mock",
]
