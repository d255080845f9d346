#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/data/dataset_op.hpp"

namespace troupe {
namespace {

/// An op from a dataset to another one.
Op make_transform(const char* name, const char* doc, std::initializer_list<int> scalars = {}) {
  return make_dataset_op(name, doc, scalars).input("input_dataset", DType::variant);
}

Op with_count(Op op) {
  return with_element_attrs(
      std::move(op).input("count", DType::int64).output("handle", DType::variant));
}

Op make_batch(const char* name, const char* doc, std::initializer_list<int> scalars) {
  return make_transform(name, doc, scalars).input("batch_size", DType::int64);
}

Op with_padding(Op op) {
  return std::move(op)
      .inputs("padded_shapes", DType::int64, "N")
      .inputs("padding_values", "Toutput_types")
      .attr("Toutput_types", AttrType::dtypes)
      .attr_at_least("Toutput_types", 1)
      .attr("output_shapes", AttrType::shapes)
      .attr_at_least("output_shapes", 1)
      .attr("N", AttrType::integer)
      .attr_at_least("N", 1);
}

void add_batch_ops(OpCatalog& catalog) {
  catalog.add(with_element_attrs(
      make_batch("BatchDataset", "Stacks so many elements; the last batch may be smaller.", {1})
          .output("handle", DType::variant)));
  catalog.add(with_element_attrs(
      make_batch("BatchDatasetV2", "As BatchDataset; the rest may be dropped.", {1, 2})
          .input("drop_remainder", DType::boolean)
          .output("handle", DType::variant)
          .attr("parallel_copy", false)));
  catalog.add(with_padding(make_batch(
                               "PaddedBatchDataset",
                               "Stacks so many elements, each padded to the shape of its component;"
                               " a size of -1\nis the largest in the batch.",
                               {1}))
                  .output("handle", DType::variant));
  catalog.add(with_padding(make_batch(
                               "PaddedBatchDatasetV2",
                               "As PaddedBatchDataset; the rest may be dropped.", {1, -1}))
                  .input("drop_remainder", DType::boolean)
                  .output("handle", DType::variant)
                  .attr("parallel_copy", false));
}

void add_window_op(OpCatalog& catalog) {
  catalog.add(with_element_attrs(
      make_transform(
          "WindowDataset",
          "Datasets of `size` elements, each `stride` behind the one before, for each component.\n"
          "A window begins `shift` elements behind the one before; those at the end, which have\n"
          "fewer elements, may be dropped.",
          {1, 2, 3, 4})
          .input("size", DType::int64)
          .input("shift", DType::int64)
          .input("stride", DType::int64)
          .input("drop_remainder", DType::boolean)
          .output("handle", DType::variant)));
}

/// Batches of elements that need not have one shape.
Op make_sparse_batch(const std::string& name) {
  return with_element_attrs(
      make_transform(
          name.c_str(),
          "Sparse tensors of so many elements, as SerializeSparse makes of them: an element is a\n"
          "row of at most `row_shape`; a size of -1 is the largest in the batch.",
          {1})
          .input("batch_size", DType::int64)
          .input("row_shape", DType::int64)
          .output("handle", DType::variant)
          .infer_shape([](ShapeInference& s) -> Status {
            if (auto status = s.need_rank(1, 0); !status.ok()) return status;
            if (auto status = s.need_rank(2, 1); !status.ok()) return status;
            s.set(0, Shape());
            return {};
          }));
}

/// Ops that say how elements are made, and not which they are.
void add_unchanging_ops(OpCatalog& catalog, const std::string& prefix) {
  auto add = [&](const std::string& name, const char* doc, const char* input, DType dtype) {
    auto op = make_transform((prefix + name).c_str(), doc);
    if (*input) std::move(op).input(input, dtype);
    catalog.add(with_element_attrs(std::move(op).output("handle", DType::variant)));
  };
  add("NonSerializableDataset", "The same elements.", "", DType::invalid);
  add("AssertNextDataset",
      "The same elements. (In TensorFlow, an error where a rewritten graph has other "
      "transformations next; here graphs of datasets are not rewritten.)",
      "transformations", DType::string);
  add("MaxIntraOpParallelismDataset",
      "The same elements. The runtime chooses on how many threads a kernel runs.",
      "max_intra_op_parallelism", DType::int64);
  add("PrivateThreadPoolDataset",
      "The same elements. All datasets of a device share its threads.", "num_threads",
      DType::int64);
  add("LatencyStatsDataset", "The same elements. There are no statistics of them.", "tag",
      DType::string);
  add("BytesProducedStatsDataset", "The same elements. There are no statistics of them.", "tag",
      DType::string);
  catalog.add(with_element_attrs(
      make_dataset_op(
          prefix + "ChooseFastestDataset",
          "The elements of one of the datasets, which all have the same: of the first.")
          .inputs("input_datasets", DType::variant, "N")
          .output("handle", DType::variant)
          .attr("N", AttrType::integer)
          .attr_at_least("N", 2)
          .attr("num_experiments", AttrType::integer)));
}

/// Ops that have an older name, too.
void add_renamed_ops(OpCatalog& catalog) {
  for (const std::string prefix : {"", "Experimental"}) {
    auto ignore_errors = prefix + "IgnoreErrorsDataset", unique = prefix + "UniqueDataset";
    catalog.add(with_element_attrs(
        make_transform(ignore_errors.c_str(), "All elements but those that could not be made.")
            .output("handle", DType::variant)));
    catalog.add(with_element_attrs(
        make_transform(
            unique.c_str(),
            "Each element the first time that it comes: int32, int64 or string tensors.")
            .output("handle", DType::variant)));
    catalog.add(make_sparse_batch(prefix + "DenseToSparseBatchDataset"));
    auto sliding = prefix + "SlidingWindowDataset", unbatch = prefix + "UnbatchDataset";
    catalog.add(with_element_attrs(
        make_transform(
            sliding.c_str(),
            "Batches of `window_size` elements, each `window_stride` behind the one before. A "
            "batch\nbegins `window_shift` elements behind the one before; those that would have "
            "fewer\nelements are dropped.",
            {1, 2, 3})
            .input("window_size", DType::int64)
            .input("window_shift", DType::int64)
            .input("window_stride", DType::int64)
            .output("handle", DType::variant)));
    catalog.add(with_element_attrs(
        make_transform(unbatch.c_str(), "The slices of each element along axis 0.")
            .output("handle", DType::variant)));
    add_unchanging_ops(catalog, prefix);
  }
}

/// Ops whose elements are in random order, or are drawn.
void add_shuffling_ops(OpCatalog& catalog) {
  catalog.add(with_element_attrs(
      make_transform(
          "ShuffleDataset",
          "Elements in random order: each is drawn from a buffer of the next `buffer_size`.",
          {1, 2, 3})
          .input("buffer_size", DType::int64)
          .input("seed", DType::int64)
          .input("seed2", DType::int64)
          .output("handle", DType::variant)
          .attr("reshuffle_each_iteration", true)));
  catalog.add(with_element_attrs(
      make_transform(
          "ShuffleAndRepeatDataset",
          "The elements `count` times, without end where it is -1, in random order: each is drawn\n"
          "from a buffer of the next `buffer_size`.",
          {1, 2, 3, 4})
          .input("buffer_size", DType::int64)
          .input("seed", DType::int64)
          .input("seed2", DType::int64)
          .input("count", DType::int64)
          .output("handle", DType::variant)));
  catalog.add(with_element_attrs(
      make_transform("SamplingDataset", "Each element with the probability `rate`.", {1, 2, 3})
          .input("rate", DType::float32)
          .input("seed", DType::int64)
          .input("seed2", DType::int64)
          .output("handle", DType::variant)));
  catalog.add(with_element_attrs(
      make_transform(
          "ModelDataset",
          "The same elements. The runtime chooses how much is made beside each other.")
          .output("handle", DType::variant)
          .attr("algorithm", int64_t{0})
          .attr("cpu_budget", int64_t{0})));
}

}  // namespace

void add_dataset_arrangement_ops(OpCatalog& catalog) {
  add_batch_ops(catalog);
  add_window_op(catalog);
  add_renamed_ops(catalog);
  add_shuffling_ops(catalog);
  catalog.add(with_count(make_transform(
      "RepeatDataset", "The elements `count` times, or without end where it is -1.", {1})));
  catalog.add(
      with_count(make_transform("TakeDataset", "The first elements; all where it is -1.", {1})));
  catalog.add(with_count(
      make_transform("SkipDataset", "All but the first elements; none where it is -1.", {1})));
  catalog.add(with_element_attrs(
      make_transform("ShardDataset", "Every `num_shards`-th element, from `index` on.", {1, 2})
          .input("num_shards", DType::int64)
          .input("index", DType::int64)
          .output("handle", DType::variant)
          .attr("require_non_empty", false)));
  catalog.add(with_element_attrs(
      make_dataset_op("ZipDataset", "Elements of all the datasets side by side.")
          .inputs("input_datasets", DType::variant, "N")
          .output("handle", DType::variant)
          .attr("N", AttrType::integer)
          .attr_at_least("N", 1)));
  catalog.add(with_element_attrs(
      make_transform("ConcatenateDataset", "The elements of one dataset, then of another.")
          .input("another_dataset", DType::variant)
          .output("handle", DType::variant)));
  catalog.add(with_element_attrs(
      make_transform(
          "PrefetchDataset",
          "The same elements, of which so many are computed before they are asked for.", {1})
          .input("buffer_size", DType::int64)
          .output("handle", DType::variant)
          .attr("slack_period", int64_t{0})
          .attr("legacy_autotune", true)));
  catalog.add(with_element_attrs(
      make_transform(
          "OptimizeDataset",
          "The same elements. With the optimization `make_sloppy`, those that are computed beside\n"
          "each other may come in another order; all others change nothing.")
          .input("optimizations", DType::string)
          .output("handle", DType::variant)
          .attr("optimization_configs", AttrValue(std::vector<std::string>()))));
  catalog.add(with_element_attrs(
      make_transform(
          "CacheDataset",
          "The same elements, kept in memory in the first iteration for the later ones.", {1})
          .input("filename", DType::string)
          .output("handle", DType::variant)));
}

}  // namespace troupe
