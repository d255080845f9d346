#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "troupe/devices/cpu/random/class_sampler.hpp"
#include "troupe/devices/cpu/random/parts.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"

namespace troupe::cpu {
namespace {

/// What all samplers of candidates have, and share with their launches.
struct SamplerState {
  int64_t num_true, num_sampled, range;
  bool is_unique;
  std::shared_ptr<PhiloxSource> source;
  std::unique_ptr<ClassSampler> sampler;  // null: all classes, once each
  std::mutex mutex;                       // of a sampler that learns

  /// Attributes of a node; `range` is that of the sampler.
  SamplerState(const Node& node, int64_t classes, std::unique_ptr<ClassSampler> of)
      : num_true(node.attr<int64_t>("num_true")),
        num_sampled(node.attr<int64_t>("num_sampled")),
        range(classes),
        is_unique(node.attr<bool>("unique")),
        source(make_source(node)),
        sampler(std::move(of)) {}
};

/// The mean number of occurrences of a class of probability p among `count` candidates, which were
/// found in `tries`. With tries beyond the count, as if these were always as many.
float expected_count(float p, int64_t count, int64_t tries) {
  if (tries == count) return p * static_cast<float>(count);
  return -std::expm1(static_cast<float>(tries) * std::log1p(-p));
}

/// Sets `out` to candidates, and returns the number of tries.
Result<int64_t> draw_candidates(
    const SamplerState& state, PhiloxNumbers& numbers, std::span<int64_t> out) {
  if (!state.is_unique) {
    for (auto& candidate : out) candidate = state.sampler->sample(numbers);
    return static_cast<int64_t>(out.size());
  }
  std::unordered_set<int64_t> used;
  int64_t tries = 0;
  for (auto& candidate : out) do {
      candidate = state.sampler->sample(numbers);
      if (++tries == std::numeric_limits<int32_t>::max())
        return resource_exhausted(
            std::to_string(tries) + " tries made only " + std::to_string(used.size()) +
            " candidates that differ");
    } while (!used.insert(candidate).second);
  return tries;
}

Status check_true_classes(const Tensor& classes, const SamplerState& state) {
  const auto& shape = classes.shape();
  if (shape.rank() != 2 || shape[1] != state.num_true)
    return invalid_argument(
        "'true_classes' must have the shape [?," + std::to_string(state.num_true) +
        "], but has the shape " + shape.to_string());
  for (auto value : classes.values<int64_t>())
    if (value < 0 || value >= state.range)
      return invalid_argument(
          "'true_classes' must be from [0, " + std::to_string(state.range) + "), but " +
          std::to_string(value) + " is among them");
  if (state.is_unique && state.sampler && state.num_sampled > state.sampler->reachable())
    return invalid_argument(
        "there are not " + std::to_string(state.num_sampled) + " candidates that differ, but " +
        std::to_string(state.sampler->reachable()));
  return {};
}

struct SamplerOutputs {
  Tensor candidates, true_counts, candidate_counts;

  static Result<SamplerOutputs> allocate(const Launch& launch, int64_t num_sampled) {
    auto sampled = Shape::make({&num_sampled, 1});
    if (!sampled) return sampled.status();
    auto candidates = launch.allocate(DType::int64, *sampled);
    auto true_counts = launch.allocate(DType::float32, launch.input(0).shape());
    auto candidate_counts = launch.allocate(DType::float32, *sampled);
    for (const auto& made : {candidates, true_counts, candidate_counts})
      if (!made) return made.status();
    return SamplerOutputs{*candidates, *true_counts, *candidate_counts};
  }
  void set(Launch& launch) {
    launch.set(0, std::move(candidates));
    launch.set(1, std::move(true_counts));
    launch.set(2, std::move(candidate_counts));
  }
};

void count_all(SamplerOutputs& out) {
  auto* candidate = out.candidates.mutable_data<int64_t>();
  for (int64_t i = 0; i < out.candidates.elements(); ++i) candidate[i] = i;
  for (auto* counts : {&out.true_counts, &out.candidate_counts})
    std::fill_n(counts->mutable_data<float>(), counts->elements(), 1.0f);
}

/// Draws, and then learns from the true classes.
Status sample_candidates(
    SamplerState& state, const Tensor& true_classes, PhiloxNumbers& numbers, SamplerOutputs& out) {
  std::lock_guard lock(state.mutex);
  std::span candidates(out.candidates.mutable_data<int64_t>(), size_t(state.num_sampled));
  auto tries = draw_candidates(state, numbers, candidates);
  if (!tries) return tries.status();
  auto set_counts = [&](std::span<const int64_t> classes, Tensor& counts) {
    std::ranges::transform(classes, counts.mutable_data<float>(), [&](int64_t value) {
      return expected_count(state.sampler->probability(value), state.num_sampled, *tries);
    });
  };
  set_counts(candidates, out.candidate_counts);
  set_counts(true_classes.values<int64_t>(), out.true_counts);
  state.sampler->update(true_classes.values<int64_t>());
  return {};
}

Kernel sampler_kernel(std::shared_ptr<SamplerState> state) {
  auto compute = [state](Launch& launch) -> Status {
    const auto& true_classes = launch.input(0);
    if (auto status = check_true_classes(true_classes, *state); !status.ok()) return status;
    auto out = SamplerOutputs::allocate(launch, state->num_sampled);
    if (!out) return out.status();
    if (state->sampler) {
      // What TensorFlow reserves: 2048 numbers a candidate.
      PhiloxNumbers numbers(
          state->source->reserve_blocks(static_cast<uint64_t>(state->num_sampled) * 512));
      auto status = sample_candidates(*state, true_classes, numbers, *out);
      if (!status.ok()) return status;
    } else {
      count_all(*out);
    }
    out->set(launch);
    return {};
  };
  return {.compute = compute, .cost_ns = [state](const Launch& launch) {
            return 100 *
                   (launch.input(0).elements() + std::min(state->num_sampled, int64_t{1} << 32));
          }};
}

/// The maker of the kernel of a sampler that a range is enough for.
template <class MakeSampler>
KernelCatalog::Make sampler_of_range(MakeSampler make_sampler) {
  return [make_sampler](const Node& node) -> Result<Kernel> {
    auto range = node.attr<int64_t>("range_max");
    Result<std::unique_ptr<ClassSampler>> sampler = make_sampler(range);
    if (!sampler) return sampler.status();
    return sampler_kernel(std::make_shared<SamplerState>(node, range, *std::move(sampler)));
  };
}

Result<Kernel> make_unigram_kernel(const Node& node) {
  Unigrams unigrams{
      .reserved_ids = node.attr<int64_t>("num_reserved_ids"),
      .shard_count = node.attr<int64_t>("num_shards"),
      .shard = node.attr<int64_t>("shard"),
      .distortion = node.attr<float>("distortion"),
      .weights = node.attr<std::vector<float>>("unigrams")};
  const auto& file = node.attr<std::string>("vocab_file");
  if (file.empty() == unigrams.weights.empty())
    return invalid_argument("exactly one of 'vocab_file' and 'unigrams' must be given");
  if (!file.empty()) {
    auto read = Unigrams::read(file);
    if (!read) return read.status();
    unigrams.weights = *std::move(read);
  }
  auto range = node.attr<int64_t>("range_max");
  auto sampler = make_unigram_sampler(range, unigrams);
  if (!sampler) return sampler.status();
  return sampler_kernel(std::make_shared<SamplerState>(node, range, *std::move(sampler)));
}

Result<Kernel> make_all_candidates(const Node& node) {
  auto range = node.attr<int64_t>("num_sampled");
  return sampler_kernel(std::make_shared<SamplerState>(node, range, nullptr));
}

struct AccidentalHits {
  std::vector<int32_t> rows;
  std::vector<int64_t> positions;

  AccidentalHits(const Tensor& true_classes, const Tensor& candidates) {
    std::unordered_map<int64_t, int64_t> position_of;  // the last, where one is there twice
    for (int64_t i = 0; i < candidates.elements(); ++i)
      position_of[candidates.data<int64_t>()[i]] = i;
    auto columns = true_classes.shape()[1];
    for (int64_t i = 0; i < true_classes.elements(); ++i) {
      auto found = position_of.find(true_classes.data<int64_t>()[i]);
      if (found == position_of.end()) continue;
      rows.push_back(static_cast<int32_t>(i / columns));
      positions.push_back(found->second);
    }
  }
};

Status compute_accidental_hits(Launch& launch, int64_t num_true) {
  const auto &true_classes = launch.input(0), &candidates = launch.input(1);
  if (true_classes.shape().rank() != 2 || true_classes.shape()[1] != num_true)
    return invalid_argument(
        "'true_classes' must have the shape [?," + std::to_string(num_true) +
        "], but has the shape " + true_classes.shape().to_string());
  if (candidates.shape().rank() != 1)
    return invalid_argument(
        "'sampled_candidates' must be a vector, but has the shape " +
        candidates.shape().to_string());
  AccidentalHits hits(true_classes, candidates);
  Shape shape{static_cast<int64_t>(hits.rows.size())};
  auto rows = launch.allocate(DType::int32, shape);
  auto positions = launch.allocate(DType::int64, shape);
  auto weights = launch.allocate(DType::float32, shape);
  for (const auto& made : {rows, positions, weights})
    if (!made) return made.status();
  std::ranges::copy(hits.rows, rows->mutable_data<int32_t>());
  std::ranges::copy(hits.positions, positions->mutable_data<int64_t>());
  std::fill_n(
      weights->mutable_data<float>(), weights->elements(), std::numeric_limits<float>::lowest());
  launch.set(0, *std::move(rows));
  launch.set(1, *std::move(positions));
  launch.set(2, *std::move(weights));
  return {};
}

Result<Kernel> make_accidental_hits(const Node& node) {
  return Kernel{.compute = [num_true = node.attr<int64_t>("num_true")](Launch& launch) {
    return compute_accidental_hits(launch, num_true);
  }};
}

}  // namespace

void add_samplers_kernels(KernelCatalog& catalog) {
  catalog.add("UniformCandidateSampler", sampler_of_range(make_uniform_sampler));
  catalog.add("LogUniformCandidateSampler", sampler_of_range(make_log_uniform_sampler));
  catalog.add("LearnedUnigramCandidateSampler", sampler_of_range(make_learned_sampler));
  catalog.add("ThreadUnsafeUnigramCandidateSampler", sampler_of_range(make_learned_sampler));
  catalog.add("FixedUnigramCandidateSampler", make_unigram_kernel);
  catalog.add("AllCandidateSampler", make_all_candidates);
  catalog.add("ComputeAccidentalHits", make_accidental_hits);
}

}  // namespace troupe::cpu
