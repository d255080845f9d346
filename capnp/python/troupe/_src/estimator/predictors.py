"""Functions of arrays, made of SavedModels and of estimators."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.input_fns import Inputs
from troupe._src.estimator.model_dirs import checkpoint_for
from troupe._src.estimator.spec import DEFAULT_SERVING_SIGNATURE, ModeKeys
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import Graph
from troupe._src.messages.config import ConfigProto
from troupe._src.saved_model.loader import load
from troupe._src.session.session import Session
from troupe._src.set_module import set_module
from troupe._src.train.scaffold import ChiefSessionCreator
from troupe._src.train.monitored_session import MonitoredSession
from troupe._src.types.paths import PathLike


@set_module("troupe.contrib.predictor")
class Predictor:
    """Called with a dict of arrays, it computes a dict of arrays.

    It has a session, which is closed by `predictor.session.close()`. Calls may be in several
    threads.
    """

    def __init__(
        self, graph: Graph, session: Any, feeds: Dict[str, str], fetches: Dict[str, str]
    ) -> None:
        self._graph = graph
        self._session = session
        self._feed_tensors = {key: graph.get_tensor_by_name(name) for key, name in feeds.items()}
        self._fetch_tensors = {
            key: graph.get_tensor_by_name(name) for key, name in fetches.items()
        }

    @property
    def graph(self) -> Graph:
        """The graph of the model."""
        return self._graph

    @property
    def session(self) -> Any:
        """The session of the calls."""
        return self._session

    @property
    def feed_tensors(self) -> Dict[str, Tensor]:
        """What a call feeds, by its keys."""
        return self._feed_tensors

    @property
    def fetch_tensors(self) -> Dict[str, Tensor]:
        """What a call computes, by the keys of its result."""
        return self._fetch_tensors

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__} with feed tensors {self._feed_tensors} and fetch_tensors "
            f"{self._fetch_tensors}"
        )

    def __call__(self, input_dict: Dict[str, Any]) -> Dict[str, Any]:
        unexpected = set(input_dict) - set(self._feed_tensors)
        if unexpected:
            raise ValueError(
                f"Got unexpected keys in input_dict: {unexpected}\n"
                f"expected: {set(self._feed_tensors)}"
            )
        feeds = {
            self._feed_tensors[key]: value
            for key, value in input_dict.items()
            if value is not None
        }
        computed: Dict[str, Any] = self._session.run(self._fetch_tensors, feeds)
        return computed


def _names(infos: Any) -> Dict[str, str]:
    return {key: info.name for key, info in infos.items()}


def from_saved_model(
    export_dir: PathLike,
    signature_def_key: Optional[str] = None,
    signature_def: Any = None,
    input_names: Optional[Dict[str, str]] = None,
    output_names: Optional[Dict[str, str]] = None,
    tags: Optional[str] = None,
    graph: Optional[Graph] = None,
    config: Optional[ConfigProto] = None,
) -> Predictor:
    """A function of arrays, made of a SavedModel.

    Args:
        export_dir: The folder.
        signature_def_key: The name of its signature, by default that which serves.
        signature_def: A signature, in place of a name.
        input_names: The tensors that are fed, in place of a signature: {key: "name:0"}.
        output_names: The tensors that are computed, with them.
        tags: Those of the graph, by commas; by default "serve".
        graph: The graph that it is loaded into, by default a new one.
        config: The options of the session.

    Returns:
        The function, which has a session.

    Raises:
        ValueError: There is more than one of a name, a signature and tensors, there are tensors of
            one side only, or the model has no such signature.
    """
    if (input_names is None) != (output_names is None):
        raise ValueError("input_names and output_names must both be given, or neither")
    if sum(each is not None for each in (signature_def_key, signature_def, input_names)) > 1:
        raise ValueError(
            "at most one of signature_def_key, signature_def and (input_names, output_names) may "
            "be given"
        )
    graph = graph or Graph()
    session = Session(graph=graph, config=config)
    try:
        with graph.as_default():
            message = load(session, (tags or "serve").split(","), export_dir)
        if input_names is None or output_names is None:
            key = signature_def_key or DEFAULT_SERVING_SIGNATURE
            if signature_def is None and key not in message.signature_def:
                raise ValueError(
                    f'Got signature_def_key "{key}". Available signatures are '
                    f"{sorted(message.signature_def)}."
                )
            signature = signature_def or message.signature_def[key]
            input_names, output_names = _names(signature.inputs), _names(signature.outputs)
        return Predictor(graph, session, input_names, output_names)
    except BaseException:
        session.close()
        raise


def from_estimator(
    estimator: Estimator,
    serving_input_receiver_fn: Callable[[], Any],
    output_key: Optional[str] = None,
    graph: Optional[Graph] = None,
    config: Optional[ConfigProto] = None,
) -> Predictor:
    """A function of arrays, made of an estimator with its latest checkpoint, or initialized.

    Args:
        estimator: The estimator.
        serving_input_receiver_fn: Returns a ServingInputReceiver: what calls feed, and the features
            that are made of it.
        output_key: The name of one of the export outputs, by default that which serves.
        graph: The graph of the model, by default a new one.
        config: The options of the session.

    Returns:
        The function, which has a session.

    Raises:
        TypeError: That is no estimator.
        ValueError: There is no such output.
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f"Expected a tf.estimator.Estimator, got {estimator!r}")
    path = checkpoint_for(None, estimator.model_dir, "predict")
    graph = graph or Graph()
    with graph.as_default():
        estimator._create_global_step(graph)
        receiver = serving_input_receiver_fn()
        spec = estimator._model.spec(
            Inputs(receiver.features, None), ModeKeys.PREDICT, estimator.config, is_export=True
        )
        outputs = spec.export_outputs or {}
        key = output_key or DEFAULT_SERVING_SIGNATURE
        if key not in outputs:
            raise ValueError(f"There is no export output {key!r}, but {sorted(outputs)}")
        signature = outputs[key].as_signature_def(receiver.receiver_tensors)
        creator = ChiefSessionCreator(
            spec.scaffold, config=config, checkpoint_filename_with_path=path
        )
        session = MonitoredSession(creator)
    return Predictor(graph, session, _names(signature.inputs), _names(signature.outputs))
