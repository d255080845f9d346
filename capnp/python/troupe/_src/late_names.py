"""Names in annotations whose modules cannot be imported where they are used.

Modules that come first name what later ones define, and import it for type checkers only. Here they
get it at run time, too, so that `typing.get_type_hints` works on what they define.
"""

from __future__ import annotations

from troupe._src.data import batching, element_methods, iterator, saved_iterators
from troupe._src.data.dataset import Dataset
from troupe._src.data.dataset_base import DatasetBase
from troupe._src.graph import elements, exporter, graph, operand
from troupe._src.graph_edits import node_inputs
from troupe._src.queues import queue_runner
from troupe._src.session.base_session import BaseSession
from troupe._src.train.coordinator import Coordinator

for _module, _definition in (
    (operand, elements.Tensor),
    (batching, Dataset),
    (elements, graph.Graph),
    (elements, BaseSession),
    (exporter, graph.Graph),
    (graph, BaseSession),
    (node_inputs, elements.Operation),
    (node_inputs, elements.Tensor),
    (node_inputs, graph.Graph),
    (iterator, DatasetBase),
    (saved_iterators, iterator.Iterator),
    (element_methods, Dataset),
    (queue_runner, Coordinator),
):
    setattr(_module, _definition.__name__, _definition)
