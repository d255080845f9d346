#pragma once

#include <memory>

#include "troupe/devices/data/dataset.hpp"
#include "troupe/devices/plan.hpp"

namespace troupe::data {

/// What a call answers that fails with OutOfRange, as where a function of Python raises
/// StopIteration: InvalidArgument, as who iterates would take OutOfRange for the end, and lose the
/// elements behind it; or the end of the sequence.
enum class AtOutOfRange : uint8_t { fails, ends };

/// A function of the graph, compiled for the device of a dataset, which calls it for each element:
/// once, or for each iteration anew where it has random ops with seeds, whose numbers begin again
/// then. Immutable.
class DatasetFunction {
 public:
  /// Compiles the function that an attribute of `node` names. InvalidArgument where it uses what
  /// only a step of the graph has: resources that it names itself.
  static Result<std::shared_ptr<const DatasetFunction>> compile(
      const FunctionRef& function, const Node& node, const Graph& graph, Device& device);

  const DTypes& argument_dtypes() const { return argument_dtypes_; }
  const DTypes& result_dtypes() const { return result_dtypes_; }

  /// InvalidArgument unless it takes arguments of those dtypes, one list behind the other.
  Status check_arguments(const DTypes& first, const DTypes& rest) const;
  /// InvalidArgument unless it returns those.
  Status check_results(const DTypes& dtypes) const;

  /// Calls it with `first`, then `rest`, and answers as ElementSource::pull() does, with its
  /// results.
  std::optional<Pulled> call(
      Element first, const std::shared_ptr<const Tensors>& rest, AtOutOfRange at_out_of_range,
      Iteration& iteration, ElementSource::Done done) const;

 private:
  /// What calls of an iteration run.
  Result<std::shared_ptr<const Plan>> plan_of(Iteration& iteration) const;

  std::string name_;
  DTypes argument_dtypes_;
  DTypes result_dtypes_;
  std::shared_ptr<const Plan> plan_;
  bool has_seeds_ = false;
};

using SharedFunction = std::shared_ptr<const DatasetFunction>;

}  // namespace troupe::data
