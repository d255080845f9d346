#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "troupe/devices/kernel.hpp"
#include "troupe/graph/node_def.hpp"

namespace troupe::cuda {

/// The nodes that a fused one stands for, with their own kernels: what is computed where the fused
/// one cannot be, as for shapes that do not fit it, or without a compiler.
class SingleNodes {
 public:
  using Makers = std::map<std::string, KernelCatalog::Make, std::less<>>;

  /// Those of a catalog that a fused node can be made of.
  static std::shared_ptr<const Makers> makers_of(const KernelCatalog& catalog);
  /// The names that the inputs of a fused node have in the definitions of its nodes.
  static std::vector<std::string> input_names(int count);

  /// `nodes`: in their order, of those inputs; the last one gives the result.
  static Result<SingleNodes> make(
      const std::vector<NodeDef>& nodes, int input_count, const Makers& makers);

  /// As if nothing were fused: memory goes back as it would, and errors name the same nodes.
  Status compute(Launch& launch) const;

 private:
  struct SingleNode {
    Where where;
    Kernel kernel;
    std::vector<int> operands;  // the inputs count from 0, results of earlier nodes go on
  };

  int input_count_ = 0;
  std::vector<SingleNode> nodes_;
  std::vector<int> uses_;  // of inputs and results, by operands of nodes
};

}  // namespace troupe::cuda
