#pragma once

#include <functional>
#include <string_view>

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/op.hpp"

namespace troupe {

/// What other ops make of the inputs of a node with those attributes: its outputs.
using Composition =
    std::function<Values(const Builder& b, const Values& inputs, const Attrs& attrs)>;

/// How an op of this family is composed of others; null for any other op. Its kernel computes these
/// one after the other, where it is one for all devices.
const Composition* composition_of(std::string_view op);

/// The ops that others compute: older forms of them, and fusions.
void add_composed_ops(OpCatalog& catalog);

}  // namespace troupe
