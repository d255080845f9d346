#include <map>

#include "troupe/devices/cpu/nn/ctc.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

using DecodedLabels = std::vector<int64_t>;

/// What is found for each sequence: its paths, the best first, and a number for each.
struct DecodedBatch {
  std::vector<std::vector<DecodedLabels>> paths;  // of each sequence
  std::vector<std::vector<double>> numbers;

  explicit DecodedBatch(int64_t batch)
      : paths(static_cast<size_t>(batch)), numbers(static_cast<size_t>(batch)) {}
};

/// Sets the outputs of one path: a sparse tensor [batch, position].
Status set_path(Launch& launch, const DecodedBatch& decoded, int path, int paths) {
  int64_t count = 0, longest = 0;
  for (const auto& of_sequence : decoded.paths) {
    auto length = std::ssize(of_sequence[static_cast<size_t>(path)]);
    count += length;
    longest = std::max(longest, length);
  }
  auto indices = launch.allocate(DType::int64, {count, 2});
  auto values = launch.allocate(DType::int64, {count});
  auto shape = launch.allocate(DType::int64, {2});
  for (const auto* tensor : {&indices, &values, &shape})
    if (!*tensor) return tensor->status();
  auto *index = indices->mutable_data<int64_t>(), *value = values->mutable_data<int64_t>();
  for (size_t sequence = 0; sequence < decoded.paths.size(); ++sequence) {
    int64_t position = 0;
    for (auto label : decoded.paths[sequence][static_cast<size_t>(path)]) {
      *index++ = static_cast<int64_t>(sequence);
      *index++ = position++;
      *value++ = label;
    }
  }
  shape->mutable_data<int64_t>()[0] = std::ssize(decoded.paths);
  shape->mutable_data<int64_t>()[1] = longest;
  launch.set(path, *std::move(indices));
  launch.set(paths + path, *std::move(values));
  launch.set(2 * paths + path, *std::move(shape));
  return {};
}

Status set_decoded(Launch& launch, const DecodedBatch& decoded, int paths) {
  auto numbers = launch.allocate(launch.input(0).dtype(), {std::ssize(decoded.paths), paths});
  if (!numbers) return numbers.status();
  int64_t at = 0;
  for (const auto& of_sequence : decoded.numbers)
    for (auto number : of_sequence) {
      if (numbers->dtype() == DType::float64) numbers->mutable_data<double>()[at++] = number;
      else numbers->mutable_data<float>()[at++] = static_cast<float>(number);
    }
  launch.set(3 * paths, *std::move(numbers));
  for (int path = 0; path < paths; ++path)
    if (auto status = set_path(launch, decoded, path, paths); !status.ok()) return status;
  return {};
}

Status decode_greedily(Launch& launch, bool merges_repeated) {
  auto activations = CtcActivations::of(launch.input(0), launch.input(1));
  if (!activations) return activations.status();
  DecodedBatch decoded(activations->batch());
  auto work = activations->times() * activations->classes();
  parallel_ranges(activations->batch(), work, [&](int64_t begin, int64_t end) {
    std::vector<double> row(static_cast<size_t>(activations->classes()));
    for (auto i = begin; i < end; ++i) {
      DecodedLabels labels;
      double sum = 0;
      int64_t last = -1;
      for (int64_t time = 0; time < activations->length_of(i); ++time) {
        activations->read(time, i, row);
        auto best = std::ranges::max_element(row);
        sum -= *best;
        auto label = best - row.begin();
        if (label != activations->blank() && !(merges_repeated && label == last))
          labels.push_back(label);
        last = label;
      }
      decoded.paths[static_cast<size_t>(i)] = {std::move(labels)};
      decoded.numbers[static_cast<size_t>(i)] = {sum};
    }
  });
  return set_decoded(launch, decoded, 1);
}

/// The logarithms of the probabilities of all ways to some labels that end in a blank, that end in
/// the last label, and of both.
struct PrefixOdds {
  double blank = log_of_zero, label = log_of_zero, total = log_of_zero;
};

/// Some labels, as one more than those of another node.
struct PrefixNode {
  int32_t parent;  // -1: of no labels
  int32_t label;
  PrefixOdds now = {}, before = {};

  bool is_active() const { return now.total != log_of_zero; }
};

/// A search for the most probable labels of one sequence, which keeps the `width` best at each
/// time.
class PrefixSearch {
 public:
  PrefixSearch(int64_t width, int64_t blank)
      : width_(std::min<int64_t>(width, most_kept + 1)), blank_(blank) {
    nodes_.push_back({.parent = -1, .label = -1, .now = {.blank = 0, .total = 0}});
    kept_.push_back(0);
  }

  Status step(std::span<const double> logs) {
    auto branches = std::move(kept_);
    std::ranges::sort(branches, {}, [&](int32_t node) { return -node_at(node).now.total; });
    for (auto branch : branches) node_at(branch).before = node_at(branch).now;
    candidates_.clear();
    for (auto branch : branches) {
      go_on(node_at(branch), logs);
      push({.odds = node_at(branch).now, .node = branch});
    }
    for (auto branch : branches) grow(branch, logs);
    return keep_candidates(branches);
  }

  int64_t kept() const { return std::ssize(kept_); }

  /// The best of those that are kept, by falling probability.
  std::vector<int32_t> best(int64_t count) const {
    auto nodes = kept_;
    std::ranges::stable_sort(nodes, {}, [&](int32_t node) { return -node_at(node).now.total; });
    nodes.resize(static_cast<size_t>(count));
    return nodes;
  }

  double log_probability(int32_t node) const { return node_at(node).now.total; }

  DecodedLabels labels_of(int32_t node, bool merges_repeated) const {
    DecodedLabels labels;
    int32_t last = -1;
    for (; node_at(node).parent >= 0; node = node_at(node).parent) {
      auto label = node_at(node).label;
      if (!merges_repeated || label != last) labels.push_back(label);
      last = label;
    }
    std::ranges::reverse(labels);
    return labels;
  }

 private:
  /// What may be kept: a node, or one to be made behind `node`, where `label` is not -1.
  struct Candidate {
    PrefixOdds odds;
    int32_t node;
    int32_t label = -1;
  };
  static bool is_better(const Candidate& a, const Candidate& b) {
    return a.odds.total > b.odds.total;
  }

  // Far more than a search of a sensible width needs: a step takes time for each that is kept.
  static constexpr size_t most_kept = size_t{1} << 16, most_nodes = size_t{1} << 24;

  PrefixNode& node_at(int32_t node) { return nodes_[static_cast<size_t>(node)]; }
  const PrefixNode& node_at(int32_t node) const { return nodes_[static_cast<size_t>(node)]; }

  /// The same labels, one time later.
  void go_on(PrefixNode& node, std::span<const double> logs) const {
    if (node.parent >= 0) {
      const auto& parent = node_at(node.parent);
      if (parent.is_active())
        node.now.label = add_logs(
            node.now.label, node.label == parent.label ? parent.before.blank : parent.before.total);
      node.now.label += logs[static_cast<size_t>(node.label)];
    }
    node.now.blank = node.before.total + logs[static_cast<size_t>(blank_)];
    node.now.total = add_logs(node.now.blank, node.now.label);
    // Of activations that are NaN or infinite; a number keeps the order of candidates sound.
    if (std::isnan(node.now.total)) node.now = {};
  }

  bool is_full() const { return std::ssize(candidates_) >= width_; }
  bool is_wanted(double total) const {
    return total > log_of_zero && (!is_full() || total > candidates_.front().odds.total);
  }

  /// The candidates are a heap with the worst in front.
  void push(const Candidate& candidate) {
    if (is_full()) {
      std::ranges::pop_heap(candidates_, is_better);
      candidates_.pop_back();
    }
    candidates_.push_back(candidate);
    std::ranges::push_heap(candidates_, is_better);
  }

  /// One label more.
  void grow(int32_t branch, std::span<const double> logs) {
    const auto& node = node_at(branch);
    if (!is_wanted(node.before.total)) return;
    for (int32_t label = 0; label < blank_; ++label) {
      auto before = label == node.label ? node.before.blank : node.before.total;
      auto total = before + logs[static_cast<size_t>(label)];
      if (!is_wanted(total)) continue;
      auto known = children_.find({branch, label});
      if (known != children_.end() && node_at(known->second).is_active()) continue;
      push({.odds = {.label = total, .total = total}, .node = branch, .label = label});
    }
  }

  Status keep_candidates(const std::vector<int32_t>& branches) {
    if (candidates_.size() > most_kept)
      return resource_exhausted(
          "the search keeps more than 65,536 candidates; a smaller beam_width bounds it");
    for (const auto& candidate : candidates_) {
      auto node = candidate.node;
      if (candidate.label >= 0) {
        auto [known, is_new] = children_.try_emplace(
            {candidate.node, candidate.label}, static_cast<int32_t>(nodes_.size()));
        node = known->second;
        if (is_new) nodes_.push_back({.parent = candidate.node, .label = candidate.label});
        if (nodes_.size() > most_nodes)
          return resource_exhausted("the search has more than 16 million candidates");
      }
      kept_.push_back(node);
    }
    for (auto branch : branches) node_at(branch).now = {};
    for (size_t i = 0; i < kept_.size(); ++i) node_at(kept_[i]).now = candidates_[i].odds;
    return {};
  }

  int64_t width_, blank_;
  std::vector<PrefixNode> nodes_;
  std::map<std::pair<int32_t, int32_t>, int32_t> children_;  // by node and label
  std::vector<int32_t> kept_;
  std::vector<Candidate> candidates_;
};

struct BeamOptions {
  int64_t width;
  int paths;
  bool merges_repeated;
};

Status search_sequence(
    const CtcActivations& activations, int64_t sequence, const BeamOptions& options,
    DecodedBatch& decoded) {
  PrefixSearch search(options.width, activations.blank());
  std::vector<double> logs(static_cast<size_t>(activations.classes()));
  for (int64_t time = 0; time < activations.length_of(sequence); ++time) {
    activations.read_logs(time, sequence, logs);
    if (auto status = search.step(logs); !status.ok()) return status;
  }
  if (search.kept() < options.paths)
    return invalid_argument(
        std::to_string(options.paths) + " paths are asked for, but sequence " +
        std::to_string(sequence) + " of the batch has only " + std::to_string(search.kept()));
  for (auto node : search.best(options.paths)) {
    auto at = static_cast<size_t>(sequence);
    decoded.paths[at].push_back(search.labels_of(node, options.merges_repeated));
    decoded.numbers[at].push_back(search.log_probability(node));
  }
  return {};
}

Status decode_by_search(Launch& launch, const BeamOptions& options) {
  auto activations = CtcActivations::of(launch.input(0), launch.input(1));
  if (!activations) return activations.status();
  if (options.paths > options.width)
    return invalid_argument(
        "top_paths is " + std::to_string(options.paths) + ", more than the beam_width of " +
        std::to_string(options.width));
  DecodedBatch decoded(activations->batch());
  std::vector<Status> failures(static_cast<size_t>(activations->batch()));
  auto work = activations->times() * activations->classes() * std::min<int64_t>(options.width, 100);
  parallel_ranges(activations->batch(), work, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i)
      failures[static_cast<size_t>(i)] = search_sequence(*activations, i, options, decoded);
  });
  for (auto& failure : failures)
    if (!failure.ok()) return failure;
  return set_decoded(launch, decoded, options.paths);
}

/// Of an op that costs some nanoseconds for each activation and each candidate.
std::function<int64_t(const Launch&)> cost_per_activation(int64_t nanoseconds) {
  return [nanoseconds](const Launch& launch) { return launch.input(0).elements() * nanoseconds; };
}

}  // namespace

void add_ctc_decoders_kernels(KernelCatalog& catalog) {
  catalog.add("CTCGreedyDecoder", [](const Node& node) -> Result<Kernel> {
    auto merges_repeated = node.attr<bool>("merge_repeated");
    return Kernel{.compute = [merges_repeated](Launch& launch) {
      return decode_greedily(launch, merges_repeated);
    }};
  });
  catalog.add("CTCBeamSearchDecoder", [](const Node& node) -> Result<Kernel> {
    BeamOptions options{
        .width = node.attr<int64_t>("beam_width"),
        .paths = static_cast<int>(node.attr<int64_t>("top_paths")),
        .merges_repeated = node.attr<bool>("merge_repeated")};
    return Kernel{
        .compute = [options](Launch& launch) { return decode_by_search(launch, options); },
        .cost_ns = cost_per_activation(std::min<int64_t>(options.width, 100) * 10)};
  });
}

}  // namespace troupe::cpu
