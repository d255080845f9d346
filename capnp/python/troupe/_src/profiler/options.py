"""What a profile shows."""

from __future__ import annotations

import copy
from typing import Any, Dict, Optional, Sequence

from troupe._src.set_module import set_module

_DEFAULTS: Dict[str, Any] = {
    "max_depth": 10000,
    "min_bytes": 0,
    "min_peak_bytes": 0,
    "min_residual_bytes": 0,
    "min_output_bytes": 0,
    "min_micros": 0,
    "min_accelerator_micros": 0,
    "min_cpu_micros": 0,
    "min_params": 0,
    "min_float_ops": 0,
    "min_occurrence": 0,
    "order_by": "name",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "trim_name_regexes": [],
    "show_name_regexes": [".*"],
    "hide_name_regexes": [],
    "account_displayed_op_only": False,
    "select": ["micros"],
    "step": -1,
    "output": "stdout",
}

# Of whole models.
_ALL = {"account_displayed_op_only": True}


@set_module("troupe.profiler")
class ProfileOptionBuilder:
    """Makes the options of a profile: a dict, as `build` gives it.

    Args:
        options: Those to begin with.
    """

    def __init__(self, options: Optional[Dict[str, Any]] = None) -> None:
        self._options = copy.deepcopy({**_DEFAULTS, **(options or {})})

    @staticmethod
    def trainable_variables_parameter() -> Dict[str, Any]:
        """Options of a profile of the trainable variables' sizes."""
        kinds = {"account_type_regexes": ["_trainable_variables"], "select": ["params"]}
        return ProfileOptionBuilder({**_ALL, **kinds}).build()

    @staticmethod
    def float_operation() -> Dict[str, Any]:
        """Options of a profile of floating-point operations."""
        most_first = {"min_float_ops": 1, "order_by": "float_ops", "select": ["float_ops"]}
        return ProfileOptionBuilder({**_ALL, **most_first}).build()

    @staticmethod
    def time_and_memory(
        min_micros: int = 1,
        min_bytes: int = 1,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> Dict[str, Any]:
        """Options of a profile of the times of a step; memory is not known of nodes.

        Args:
            min_micros: Nodes of less time are left out.
            min_bytes: Has no effect.
            min_accelerator_micros: Has no effect.
            min_cpu_micros: Has no effect.
            min_peak_bytes: Has no effect.
            min_residual_bytes: Has no effect.
            min_output_bytes: Has no effect.

        Returns:
            The options.
        """
        chosen = {"min_micros": min_micros, "order_by": "micros", "select": ["micros"]}
        return ProfileOptionBuilder({**_ALL, **chosen}).build()

    def build(self) -> Dict[str, Any]:
        """A copy of the options."""
        return copy.deepcopy(self._options)

    def _with(self, **options: Any) -> ProfileOptionBuilder:
        self._options.update(options)
        return self

    def with_max_depth(self, max_depth: int) -> ProfileOptionBuilder:
        """Shows scopes to that depth.

        Args:
            max_depth: The depth.

        Returns:
            Itself.
        """
        return self._with(max_depth=max_depth)

    def with_min_parameters(self, min_params: int) -> ProfileOptionBuilder:
        """Leaves out variables of fewer elements.

        Args:
            min_params: How many there must be.

        Returns:
            Itself.
        """
        return self._with(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> ProfileOptionBuilder:
        """Leaves out, by op, what is there less often.

        Args:
            min_occurrence: How often it must be there.

        Returns:
            Itself.
        """
        return self._with(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> ProfileOptionBuilder:
        """Leaves out nodes of fewer operations.

        Args:
            min_float_ops: How many there must be.

        Returns:
            Itself.
        """
        return self._with(min_float_ops=min_float_ops)

    def with_min_execution_time(
        self, min_micros: int = 0, min_accelerator_micros: int = 0, min_cpu_micros: int = 0
    ) -> ProfileOptionBuilder:
        """Leaves out nodes of less time.

        Args:
            min_micros: The microseconds.
            min_accelerator_micros: Has no effect.
            min_cpu_micros: Has no effect.

        Returns:
            Itself.
        """
        return self._with(min_micros=min_micros)

    def with_min_memory(
        self,
        min_bytes: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> ProfileOptionBuilder:
        """Has no effect.

        Args:
            min_bytes: Has no effect.
            min_peak_bytes: Has no effect.
            min_residual_bytes: Has no effect.
            min_output_bytes: Has no effect.

        Returns:
            Itself.
        """
        return self

    def with_accounted_types(self, account_type_regexes: Sequence[str]) -> ProfileOptionBuilder:
        """Counts nodes of these ops; "_trainable_variables" stands for such variables.

        Args:
            account_type_regexes: Regular expressions of ops.

        Returns:
            Itself.
        """
        return self._with(account_type_regexes=list(account_type_regexes))

    def with_node_names(
        self,
        start_name_regexes: Optional[Sequence[str]] = None,
        show_name_regexes: Optional[Sequence[str]] = None,
        hide_name_regexes: Optional[Sequence[str]] = None,
        trim_name_regexes: Optional[Sequence[str]] = None,
    ) -> ProfileOptionBuilder:
        """Counts nodes below names, and shows or hides some.

        Args:
            start_name_regexes: Of the names that are counted, with all below them.
            show_name_regexes: Of the names that are shown.
            hide_name_regexes: Of names that are not.
            trim_name_regexes: As `hide_name_regexes`.

        Returns:
            Itself.
        """
        given = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        return self._with(**{name: list(value) for name, value in given.items() if value})

    def account_displayed_op_only(self, is_true: bool) -> ProfileOptionBuilder:
        """Counts only what is shown.

        Args:
            is_true: Whether it does.

        Returns:
            Itself.
        """
        return self._with(account_displayed_op_only=is_true)

    def with_step(self, step: int) -> ProfileOptionBuilder:
        """Shows the times of that step; -1 for all.

        Args:
            step: The step's number.

        Returns:
            Itself.
        """
        return self._with(step=step)

    def with_empty_output(self) -> ProfileOptionBuilder:
        """Prints nothing."""
        return self._with(output="none")

    def with_stdout_output(self) -> ProfileOptionBuilder:
        """Prints the profile."""
        return self._with(output="stdout")

    def with_file_output(self, outfile: str) -> ProfileOptionBuilder:
        """Writes the profile to a file.

        Args:
            outfile: The file.

        Returns:
            Itself.
        """
        return self._with(output=f"file:outfile={outfile}")

    def order_by(self, attribute: str) -> ProfileOptionBuilder:
        """Orders by "name", "params", "float_ops", "micros" or "occurrence".

        Args:
            attribute: One of these.

        Returns:
            Itself.
        """
        return self._with(order_by=attribute)

    def select(self, attributes: Sequence[str]) -> ProfileOptionBuilder:
        """Shows these: "params", "float_ops", "micros", "occurrence".

        Args:
            attributes: Some of these.

        Returns:
            Itself.
        """
        return self._with(select=list(attributes))
