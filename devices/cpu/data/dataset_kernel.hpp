#pragma once

#include <functional>
#include <memory>
#include <string>

#include "troupe/devices/data/dataset.hpp"
#include "troupe/devices/data/iteration.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

using SharedIteration = std::shared_ptr<data::Iteration>;
using Iterate = std::function<Result<data::SharedSource>(const SharedIteration&)>;

/// The dtypes and shapes that the node declares for the components of its dataset.
struct ElementAttrs {
  explicit ElementAttrs(const Node& node);

  /// InvalidArgument unless those are the dtypes.
  Status check(const DTypes& given) const;

  DTypes dtypes;
  Shapes shapes;
};

/// A dataset of elements as declared, whose iterations begin so.
data::SharedDataset make_dataset(const ElementAttrs& attrs, Iterate iterate);

/// The dataset that is that input.
Result<data::SharedDataset> dataset_input(const Launch& launch, int index);

/// The number that is that input, which must be a scalar.
Result<int64_t> number_input(const Launch& launch, int index, const char* name);
Result<bool> flag_input(const Launch& launch, int index, const char* name);

/// Sets the output to the dataset.
Status set_dataset(Launch& launch, data::SharedDataset dataset);

/// The kernel of an op that makes of one dataset, input 0, another with the same dtypes.
/// `make(launch, input)` returns how its iterations begin (an Iterate), or an error.
template <class Make>
Kernel transform_kernel(const Node& node, Make make) {
  return {.compute = [attrs = ElementAttrs(node), make = std::move(make)](Launch& launch) {
    auto input = dataset_input(launch, 0);
    if (!input) return input.status();
    if (auto status = attrs.check((*input)->dtypes()); !status.ok()) return status;
    Result<Iterate> iterate = make(launch, *input);
    if (!iterate) return iterate.status();
    return set_dataset(launch, make_dataset(attrs, *std::move(iterate)));
  }};
}

/// Begins an iteration over `input` and makes a source of class S over it, with the arguments.
template <class S, class... Args>
Iterate over(data::SharedDataset input, Args... args) {
  return [=](const SharedIteration& iteration) -> Result<data::SharedSource> {
    auto source = input->iterate(iteration);
    if (!source) return source;
    return data::SharedSource(std::make_shared<S>(iteration, *std::move(source), args...));
  };
}

}  // namespace troupe::cpu
