#pragma once

#include <string>

#include "troupe/devices/data/dataset.hpp"
#include "troupe/graph/graph.hpp"

namespace troupe {

/// The dtypes and shapes of the elements of an iterator, as the node of its handle declares them.
struct DeclaredComponents {
  const DTypes& dtypes;
  const Shapes& shapes;

  explicit DeclaredComponents(const Node& handle)
      : dtypes(handle.attr<DTypes>("output_types")), shapes(handle.attr<Shapes>("output_shapes")) {}

  /// InvalidArgument where they are not as many.
  Status check() const {
    if (dtypes.size() == shapes.size()) return {};
    return invalid_argument(
        "output_types has " + std::to_string(dtypes.size()) + " entries, but output_shapes has " +
        std::to_string(shapes.size()));
  }

  /// InvalidArgument where those of an iterator that exists differ.
  Status check_against(const DTypes& others, const Shapes& other_shapes) const {
    auto status = data::check_components(others, other_shapes, dtypes, shapes);
    if (status.ok()) return status;
    return invalid_argument("has other components than the graph declares: " + status.message());
  }
};

}  // namespace troupe
