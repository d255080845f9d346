#pragma once

#include <string>

#include "troupe/graph/op.hpp"

namespace troupe {

/// One line that says how an op is called:
///
///     MatMul(a: T, b: T; transpose_a: bool = false, transpose_b: bool = false) -> product: T
///
/// A list of N tensors of one dtype is "values: N*T", one of the dtypes in Tin "args: [Tin]", a
/// reference to a variable "var: ref T".
/// Attributes are sorted by name; those that the inputs tell are left out, and so is what values an
/// attribute allows. Strings are in double quotes.
std::string signature(const Op& op);

/// The dtypes of each attribute that its inputs and outputs have: "T: float32 float64; Tidx: int32
/// int64". An attribute that allows any dtype is left out.
std::string dtypes_text(const Op& op);

/// Whether the inputs of a node tell an attribute: it is a dtype of them, or their number.
bool is_told_by_inputs(const Op& op, const std::string& attr);

}  // namespace troupe
