#pragma once

#include <memory>
#include <string>

#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/data/dataset_function.hpp"

namespace troupe::cpu {

/// A function of the graph with the tensors that it is given beside its arguments. A small value.
class CapturedFunction {
 public:
  CapturedFunction(data::SharedFunction function, Tensors captured)
      : function_(std::move(function)),
        captured_(std::make_shared<const Tensors>(std::move(captured))) {}

  /// InvalidArgument unless it makes such results of arguments of those dtypes.
  Status check(const DTypes& arguments, const DTypes& results) const;
  const DTypes& result_dtypes() const { return function_->result_dtypes(); }
  /// The same function, whose OutOfRange is the end of the sequence and no error.
  CapturedFunction ending() const;
  /// As DatasetFunction::call().
  std::optional<data::Pulled> call(
      data::Element arguments, data::Iteration& iteration, data::ElementSource::Done done) const {
    return function_->call(
        std::move(arguments), captured_, at_out_of_range_, iteration, std::move(done));
  }

 private:
  data::SharedFunction function_;
  std::shared_ptr<const Tensors> captured_;
  data::AtOutOfRange at_out_of_range_ = data::AtOutOfRange::fails;
};

/// The inputs from `first` on that the list attribute `types_attr` counts.
Tensors captured_inputs(const Launch& launch, int first, size_t count);

/// The kernel of an op that makes a dataset with the function in that attribute, whose captured
/// tensors are the inputs behind input 0. `make(launch, function)` returns how its iterations
/// begin.
template <class Make>
Result<Kernel> function_kernel(
    const Node& node, const Graph& graph, Device& device, const char* attr, Make make) {
  auto function = data::DatasetFunction::compile(node.attr<FunctionRef>(attr), node, graph, device);
  if (!function) return function.status();
  auto compute = [=, function = *std::move(function), attrs = ElementAttrs(node),
                  count = node.attr<DTypes>("Targuments").size()](Launch& launch) -> Status {
    CapturedFunction captured(function, captured_inputs(launch, 1, count));
    Result<Iterate> iterate = make(launch, captured);
    if (!iterate) return iterate.status();
    return set_dataset(launch, make_dataset(attrs, *std::move(iterate)));
  };
  return Kernel{.compute = std::move(compute)};
}

}  // namespace troupe::cpu
