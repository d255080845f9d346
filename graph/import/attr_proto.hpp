#pragma once

#include <troupe_proto/graph.pb.h>

#include <cstddef>
#include <string_view>

#include "troupe/graph/op.hpp"
#include "troupe/graph/types/attr.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Whether an attribute is one of ours that a graph of TensorFlow's has not: what it says holds for
/// our nodes only, so it is neither written nor read.
bool is_internal_attr(std::string_view name);

/// The value that a message describes. `rule`: the declaration of the attribute, which tells the
/// type of an empty list; null for one that no op declares. `bytes_left`: what tensors may still
/// take, from which the tensor is subtracted. InvalidArgument or Unimplemented says what the
/// message lacks, or holds that no attribute of ours can; ResourceExhausted where a tensor is too
/// large.
Result<AttrValue> attr_from_proto(
    const proto::AttrValue& message, const AttrRule* rule, size_t& bytes_left);
proto::AttrValue attr_to_proto(const AttrValue& value);

/// True for false, 0, "", no list elements, no shape: what an attribute that an op got later has
/// where nobody gave it a value.
bool is_zero(const proto::AttrValue& message);

}  // namespace troupe
