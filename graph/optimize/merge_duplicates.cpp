#include <algorithm>
#include <unordered_map>

#include "troupe/graph/optimize/passes.hpp"

namespace troupe {
namespace {

// Larger constants are compared by nobody.
constexpr size_t compared_bytes_max = 4096;
// Nodes that differ only in their attributes are compared with so many others.
constexpr size_t compared_nodes_max = 8;

class DuplicateMerger {
 public:
  explicit DuplicateMerger(StepGraph& step) : step_(step) {}

  void visit(StepNode& node) {
    if (!step_.is_pure(node) || (node.is_root && !node.is_fetched)) return;
    auto hash = hash_of(node);
    if (!hash) return;
    auto& same_hash = seen_[*hash];
    for (auto id : same_hash) {
      const auto& first = *step_.find(id);
      if (!are_same(first, node)) continue;
      std::vector<Output> outputs;
      for (size_t i = 0; i < node.node->output_dtypes.size(); ++i)
        outputs.push_back({id, static_cast<int32_t>(i)});
      step_.replace(node, std::move(outputs));
      return;
    }
    if (same_hash.size() < compared_nodes_max) same_hash.push_back(node.node->id);
  }

 private:
  /// Nothing for a constant that is not compared.
  static std::optional<size_t> hash_of(const StepNode& node) {
    auto hash = reinterpret_cast<size_t>(node.values.empty() ? node.node->op : nullptr);
    auto mix = [&hash](size_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15; };
    mix(static_cast<size_t>(node.device_number));
    for (auto input : node.inputs)
      mix(static_cast<size_t>(input.node) << 8 | static_cast<size_t>(input.index));
    for (auto input : node.control_inputs) mix(static_cast<size_t>(input) + 1);
    auto mix_value = [&](const Tensor& value) {
      if (value.bytes() > compared_bytes_max || is_opaque(value.dtype())) return false;
      mix(static_cast<size_t>(value.dtype()));
      if (is_plain(value.dtype()))
        mix(std::hash<std::string_view>{}({static_cast<const char*>(value.raw()), value.bytes()}));
      return true;
    };
    for (const auto& value : node.values)
      if (!mix_value(value)) return std::nullopt;
    if (node.values.empty() && node.is_constant() && !mix_value(node.node->attr<Tensor>("value")))
      return std::nullopt;
    return hash;
  }

  bool are_same(const StepNode& a, const StepNode& b) const {
    if (a.device_number != b.device_number || a.inputs != b.inputs) return false;
    if (a.control_inputs != b.control_inputs || a.values.size() != b.values.size()) return false;
    if (!a.values.empty()) {
      for (size_t i = 0; i < a.values.size(); ++i)
        if (!(AttrValue(a.values[i]) == AttrValue(b.values[i]))) return false;
      return true;
    }
    return a.node->op == b.node->op && a.node->attrs == b.node->attrs &&
           a.is_everywhere == b.is_everywhere && (!a.is_constant() || same_constraint(a, b));
  }

  /// A constant without a constraint is copied, and so not on the device that it was given.
  static bool same_constraint(const StepNode& a, const StepNode& b) {
    return a.node->device.empty() == b.node->device.empty();
  }

  StepGraph& step_;
  std::unordered_map<size_t, std::vector<NodeId>> seen_;
};

}  // namespace

void merge_duplicates(StepGraph& step) {
  DuplicateMerger merger(step);
  step.for_each_node([&](StepNode& node) { merger.visit(node); });
}

}  // namespace troupe
