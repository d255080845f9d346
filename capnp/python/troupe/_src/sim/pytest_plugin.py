"""The plugin for pytest: tests that run once for each seed of a simulated cluster."""

from __future__ import annotations

import random
from typing import Any, Callable, Dict, Generator, Iterator, List, Optional, Tuple

import numpy as np
import pytest

from troupe._src.graph.graph import Graph
from troupe._src.graph.random_seed import set_random_seed
from troupe._src.sim.cluster import Cluster

_clusters = pytest.StashKey[List[Cluster]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option that repeats one seed.

    Args:
        parser: That of pytest.
    """
    parser.getgroup("troupe").addoption(
        "--simulated-seed",
        type=int,
        metavar="N",
        help="run the tests of simulated clusters with this seed only",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declares the marker.

    Args:
        config: That of pytest.
    """
    config.addinivalue_line(
        "markers",
        "simulated(seeds=100, first=1, faults=None): run the test once for each of so many seeds, "
        "with the fixture make_cluster; with faults=True, or a dict of arguments of "
        "troupe.sim.Cluster.draw_faults, its clusters have random faults",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Makes a test of each seed of a marked function.

    Args:
        metafunc: The function.
    """
    marker = metafunc.definition.get_closest_marker("simulated")
    if marker is None:
        return
    seeds, first, _ = _options_of(marker)
    only = metafunc.config.getoption("--simulated-seed")
    chosen = range(first, first + seeds) if only is None else [only]
    if "simulated_seed" not in metafunc.fixturenames:
        metafunc.fixturenames.append("simulated_seed")
    metafunc.parametrize("simulated_seed", chosen, indirect=True, ids=lambda seed: f"seed{seed}")


def _options_of(marker: pytest.Mark) -> Tuple[int, int, Optional[Dict[str, Any]]]:
    """(number of seeds, the first, the arguments of draw_faults or None)."""

    def read(
        seeds: int = 100, first: int = 1, faults: Any = None
    ) -> Tuple[int, int, Optional[Dict[str, Any]]]:
        return seeds, first, {} if faults is True else faults or None

    return read(*marker.args, **marker.kwargs)


@pytest.fixture
def simulated_seed(request: pytest.FixtureRequest) -> int:
    """The seed of the test; Python's and NumPy's generators begin with it, too.

    Args:
        request: That of pytest.

    Returns:
        The seed.
    """
    seed = int(getattr(request, "param", 1))
    random.seed(seed)
    np.random.seed(seed % 2**32)
    return seed


@pytest.fixture
def make_cluster(
    request: pytest.FixtureRequest, simulated_seed: int
) -> Iterator[Callable[..., Cluster]]:
    """A function that makes a `troupe.sim.Cluster` of the seed, with its arguments but the seed.

    The test has a default graph of its own, whose random ops follow from the seed.

    Args:
        request: That of pytest.
        simulated_seed: The seed.

    Returns:
        The function.
    """
    marker = request.node.get_closest_marker("simulated")
    faults = _options_of(marker)[2] if marker else None
    clusters = request.node.stash.setdefault(_clusters, [])

    def make(cluster: Any, **options: Any) -> Cluster:
        made = Cluster(cluster, seed=simulated_seed, **options)
        clusters.append(made)
        if faults is not None:
            made.script(made.draw_faults(**faults))
        return made

    with Graph().as_default():
        set_random_seed(simulated_seed)
        yield make
    for cluster in clusters:
        cluster.close()
    clusters.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds to the report of a failure how to repeat it, and what its clusters did.

    Args:
        item: The test.
        call: Its call.

    Returns:
        The report.
    """
    report = yield
    arguments: Dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    seed = arguments.get("simulated_seed")
    if report.when == "call" and report.failed and seed is not None:
        clusters = item.stash.get(_clusters, [])
        report.sections.append(("simulated cluster", _described(item, seed, clusters)))
    return report


def _described(item: pytest.Item, seed: int, clusters: List[Cluster]) -> str:
    """How to repeat a failure, and what the clusters did before it."""
    test = item.nodeid.partition("[")[0]
    lines = [f"seed {seed}; to repeat it:", f"    pytest '{test}' --simulated-seed={seed}"]
    for cluster in clusters:
        try:
            faults, diagram = cluster.faults(), cluster.diagram()
        except Exception as error:  # of a cluster that the test has closed
            lines.append(f"({error})")
            continue
        if faults:
            lines += ["faults that took effect:", *(f"    {fault}" for fault in faults)]
        lines += ["the last messages:", diagram]
    return "\n".join(lines)
