#include "troupe/graph/ops/random/random.hpp"

namespace troupe {
namespace {

/// The rows of true classes; fails unless there are `num_true` in each.
Result<int64_t> true_rows(const ShapeInference& s) {
  auto shape = s.input(0).merge({Shape::unknown, s.attr<int64_t>("num_true")});
  if (shape) return (*shape)[0];
  return invalid_argument(
      "'true_classes' must have the shape [?," + std::to_string(s.attr<int64_t>("num_true")) +
      "], but its shape is " + s.input(0).to_string());
}

Status infer_sampler(ShapeInference& s) {
  auto rows = true_rows(s);
  if (!rows) return rows.status();
  auto count = s.attr<int64_t>("num_sampled");
  auto sampled = Shape::make({&count, 1});
  if (!sampled) return sampled.status();
  s.set(0, *sampled);
  s.set(1, {*rows, s.attr<int64_t>("num_true")});
  s.set(2, *sampled);
  return {};
}

Op sampler(const char* name, const char* doc) {
  return Op(name)
      .doc(std::string(doc) +
           " Also returns how often each of the true classes [batch, num_true] and of the "
           "candidates [num_sampled] is expected among the candidates.")
      .input("true_classes", DType::int64)
      .output("sampled_candidates", DType::int64)
      .output("true_expected_count", DType::float32)
      .output("sampled_expected_count", DType::float32)
      .attr("num_true", AttrType::integer)
      .attr_at_least("num_true", 1)
      .attr("num_sampled", AttrType::integer)
      .attr_at_least("num_sampled", 1)
      .attr("unique", AttrType::boolean)
      .attr("seed", 0)
      .attr("seed2", 0)
      .infer_shape(infer_sampler)
      .stateful();
}

Op sampler_of_range(const char* name, const char* doc) {
  return sampler(name, doc).attr("range_max", AttrType::integer).attr_at_least("range_max", 1);
}

Status infer_hits(ShapeInference& s) {
  if (auto rows = true_rows(s); !rows) return rows.status();
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  for (int i : {0, 1, 2}) s.set(i, {Shape::unknown});
  return {};
}

}  // namespace

void add_samplers_ops(OpCatalog& catalog) {
  catalog.add(
      sampler_of_range("UniformCandidateSampler", "Classes drawn evenly from [0, range_max)."));
  catalog.add(sampler_of_range(
      "LogUniformCandidateSampler",
      "Classes k from [0, range_max), with probabilities in proportion to log((k + 2)/(k + 1))."));
  const auto* learned =
      "Classes from [0, range_max), with probabilities in proportion to how often they were among "
      "the true classes of steps before, plus 1.";
  catalog.add(sampler_of_range("LearnedUnigramCandidateSampler", learned));
  catalog.add(sampler_of_range("ThreadUnsafeUnigramCandidateSampler", learned));
  catalog.add(
      sampler_of_range(
          "FixedUnigramCandidateSampler",
          "Classes from [0, range_max), with probabilities in proportion to weights, raised to the "
          "power of `distortion`: `unigrams`, or the last columns of the lines of `vocab_file`, "
          "after num_reserved_ids weights of 0. Of these, each num_shards-th from `shard` on is a "
          "class.")
          .attr("vocab_file", "")
          .attr("distortion", 1.0f)
          .attr("num_reserved_ids", 0)
          .attr("num_shards", 1)
          .attr_at_least("num_shards", 1)
          .attr("shard", 0)
          .attr_at_least("shard", 0)
          .attr("unigrams", std::vector<float>()));
  catalog.add(
      sampler("AllCandidateSampler", "All classes from [0, num_sampled), once each and in order."));
  catalog.add(Op("ComputeAccidentalHits")
      .doc("The true classes [batch, num_true] that are among the candidates: for each its row, "
           "the position of the candidate, and the lowest float as a weight to add to its logit.")
      .input("true_classes", DType::int64)
      .input("sampled_candidates", DType::int64)
      .output("indices", DType::int32)
      .output("ids", DType::int64)
      .output("weights", DType::float32)
      .attr("num_true", AttrType::integer)
      .attr("seed", 0)
      .attr("seed2", 0)
      .infer_shape(infer_hits));
}

}  // namespace troupe
