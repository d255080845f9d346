"""What a class of distributions may compute: each is an error until a class defines it."""

from __future__ import annotations

from typing import Any


class Unimplemented:
    """The functions that classes of distributions define, without their nodes' scopes."""

    def _batch_shape_tensor(self) -> Any:
        raise self._lacks("batch_shape_tensor")

    def _event_shape_tensor(self) -> Any:
        raise self._lacks("event_shape_tensor")

    def _sample_n(self, *args: Any, **kwargs: Any) -> Any:
        raise self._lacks("sample_n")

    def _log_prob(self, *args: Any, **kwargs: Any) -> Any:
        raise self._lacks("log_prob")

    def _prob(self, *args: Any, **kwargs: Any) -> Any:
        raise self._lacks("prob")

    def _log_cdf(self, *args: Any, **kwargs: Any) -> Any:
        raise self._lacks("log_cdf")

    def _cdf(self, *args: Any, **kwargs: Any) -> Any:
        raise self._lacks("cdf")

    def _log_survival_function(self, *args: Any, **kwargs: Any) -> Any:
        raise self._lacks("log_survival_function")

    def _survival_function(self, *args: Any, **kwargs: Any) -> Any:
        raise self._lacks("survival_function")

    def _quantile(self, *args: Any, **kwargs: Any) -> Any:
        raise self._lacks("quantile")

    def _entropy(self) -> Any:
        raise self._lacks("entropy")

    def _mean(self) -> Any:
        raise self._lacks("mean")

    def _variance(self) -> Any:
        raise self._lacks("variance")

    def _stddev(self) -> Any:
        raise self._lacks("stddev")

    def _covariance(self) -> Any:
        raise self._lacks("covariance")

    def _mode(self) -> Any:
        raise self._lacks("mode")

    def _lacks(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{what} is not implemented: {type(self).__name__}")
