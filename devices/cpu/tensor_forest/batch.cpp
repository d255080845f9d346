#include "troupe/devices/cpu/tensor_forest/batch.hpp"

#include <algorithm>
#include <mutex>

#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {

Status ForestBatch::draw_candidate(forest::NodeStats& stats, int64_t example) {
  auto sample = sampler_.draw(example);
  if (!sample) return sample.status();
  forest::BinaryNode split;
  forest::Value value{sample->value};
  auto id = forest::FeatureId::of(sample->feature);
  if (sample->type == forest::DataSpec::number)
    split.test = forest::InequalityTest{id, slots_.shared_params()->inequality_test_type, value};
  else if (sample->type == forest::DataSpec::category)
    split.test = forest::MatchingValuesTest{id, {value}};
  else return invalid_argument("Unknown feature type " + std::to_string(sample->type));
  return stats.add_candidate(split, examples_, targets_, example);
}

Status ForestBatch::find_leaves(std::span<const int32_t> leaf_ids) {
  for (auto node : leaf_ids) {
    auto& leaf = leaves_[node];
    if (leaf.stats) continue;
    auto found = slots_.find(node);
    if (!found) return found.status();
    leaf.stats = *found;
  }
  return {};
}

Status ForestBatch::add(std::span<const int32_t> leaf_ids) {
  if (auto status = find_leaves(leaf_ids); !status.ok()) return status;
  for (int64_t i = 0; i < examples_.count(); ++i) {
    auto& leaf = leaves_[leaf_ids[static_cast<size_t>(i)]];
    if (!leaf.pending.empty() || leaf.stats->is_initialized()) {
      leaf.pending.push_back(i);
      continue;
    }
    if (auto status = draw_candidate(*leaf.stats, i); !status.ok()) return status;
    if (leaf.finished_at < 0 && leaf.stats->is_finished()) leaf.finished_at = i;
  }
  return take_pending(false);
}

Status ForestBatch::add_by_leaf(std::span<const int32_t> leaf_ids) {
  if (auto status = find_leaves(leaf_ids); !status.ok()) return status;
  for (int64_t i = 0; i < examples_.count(); ++i)
    leaves_[leaf_ids[static_cast<size_t>(i)]].pending.push_back(i);
  for (auto& [node, leaf] : leaves_) {
    if (leaf.stats->is_initialized()) continue;
    auto examples = std::move(leaf.pending);
    leaf.pending.clear();
    for (auto example : examples) {
      if (auto status = draw_candidate(*leaf.stats, example); !status.ok()) return status;
      if (leaf.stats->is_initialized()) break;
    }
  }
  auto status = take_pending(true);
  int64_t order = 0;
  for (auto& [node, leaf] : leaves_)
    if (leaf.stats->is_finished()) leaf.finished_at = order++;
  return status;
}

Status ForestBatch::take_pending(bool by_leaf) {
  std::vector<Leaf*> leaves;
  int64_t examples = 0;
  for (auto& [node, leaf] : leaves_) {
    leaves.push_back(&leaf);
    examples += static_cast<int64_t>(leaf.pending.size());
  }
  auto count = static_cast<int64_t>(leaves.size());
  constexpr int64_t cost_of_example = 256;  // in cheap operations: all candidates judge it
  auto cost = examples * cost_of_example / std::max<int64_t>(count, 1);
  std::mutex mutex;
  Status failure;
  parallel_ranges(count, std::max<int64_t>(cost, 1), [&](int64_t begin, int64_t end) {
    for (auto at = begin; at < end; ++at) {
      auto& leaf = *leaves[static_cast<size_t>(at)];
      for (auto example : leaf.pending) {
        auto status = leaf.stats->add_example(examples_, targets_, example);
        if (!status.ok()) {
          std::lock_guard lock(mutex);
          failure = status;
          break;
        }
        if (!by_leaf && leaf.finished_at < 0 && leaf.stats->is_finished())
          leaf.finished_at = example;
      }
    }
  });
  return failure;
}

std::vector<int32_t> ForestBatch::finished() const {
  std::vector<std::pair<int64_t, int32_t>> order;
  for (const auto& [node, leaf] : leaves_)
    if (leaf.finished_at >= 0) order.emplace_back(leaf.finished_at, node);
  std::ranges::sort(order);
  // Leaves are split, and so nodes numbered, in the order that such a map has them in.
  forest::HashOrderedMap<bool> ordered;
  for (auto [at, node] : order) ordered[node] = true;
  std::vector<int32_t> nodes;
  for (const auto& entry : ordered) nodes.push_back(entry.first);
  return nodes;
}

}  // namespace troupe::cpu
