"""The keys of the features and of the results of time series."""

from troupe._src.estimator.spec import DEFAULT_SERVING_SIGNATURE
from troupe._src.set_module import set_module


class State:
    """The key of a state in features, and the prefix of its parts in signatures."""

    STATE_TUPLE = "start_tuple"
    STATE_PREFIX = "model_state"


class Times:
    """The key of times, integers, [batch, window]."""

    TIMES = "times"


class Values:
    """The key of values, [batch, window, features]."""

    VALUES = "values"


@set_module("troupe.contrib.timeseries")
class TrainEvalFeatures(Times, Values):
    """The features of a training and of an evaluation."""


class PredictionFeatures(Times, State):
    """The features of a prediction."""


class FilteringFeatures(Times, Values, State):
    """The features of a model that reads more of a series."""


class PredictionResults(Times):
    """The results of a prediction."""


@set_module("troupe.contrib.timeseries")
class FilteringResults(Times, State):
    """The results of an evaluation, from which predictions continue."""


class SavedModelLabels:
    """The names of the signatures of an exported model."""

    PREDICT = DEFAULT_SERVING_SIGNATURE
    FILTER = "filter"
    COLD_START_FILTER = "cold_start_filter"
