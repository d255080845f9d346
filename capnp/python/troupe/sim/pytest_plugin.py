"""The plugin for pytest: `@pytest.mark.simulated(seeds=200)` runs a test once for each seed."""

from troupe._src.sim.pytest_plugin import (
    make_cluster,
    pytest_addoption,
    pytest_configure,
    pytest_generate_tests,
    pytest_runtest_makereport,
    simulated_seed,
)

__all__ = [
    "make_cluster",
    "pytest_addoption",
    "pytest_configure",
    "pytest_generate_tests",
    "pytest_runtest_makereport",
    "simulated_seed",
]
