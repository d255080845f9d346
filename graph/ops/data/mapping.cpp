#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/data/dataset_op.hpp"

namespace troupe {
namespace {

/// An op that calls a function with each element and other arguments.
Op make_mapping(const char* name, const char* doc, std::initializer_list<int> scalars = {}) {
  return make_dataset_op(name, doc, scalars)
      .input("input_dataset", DType::variant)
      .inputs("other_arguments", "Targuments")
      .attr("Targuments", AttrType::dtypes);
}

Op with_function(Op op, const char* function = "f") {
  return with_element_attrs(std::move(op).attr(function, AttrType::function));
}

/// An input for what a function is given beside its arguments, and its attributes.
Op with_named_function(Op op, const std::string& name) {
  auto types = "T" + name + "_other_arguments";
  return std::move(op)
      .inputs(name + "_other_arguments", types)
      .attr(types, AttrType::dtypes)
      .attr(name, AttrType::function);
}

Op with_named_functions(Op op, std::initializer_list<const char*> names) {
  for (const auto* name : names) op = with_named_function(std::move(op), name);
  return with_element_attrs(std::move(op).output("handle", DType::variant));
}

void add_grouping_ops(OpCatalog& catalog, const std::string& prefix) {
  catalog.add(with_named_functions( make_dataset_op(
                      prefix + "GroupByWindowDataset",
                      "The elements of the datasets that `reduce_func` makes of a key and a "
                      "dataset of elements with that key, as soon as there are as many as "
                      "`window_size_func` says.")
                      .input("input_dataset", DType::variant),
      {"key_func", "reduce_func", "window_size_func"}));
  catalog.add(with_named_functions(
      make_dataset_op(
          prefix + "GroupByReducerDataset",
          "At the end of the input, by key: what `finalize_func` makes of the state of a key. "
          "That begins as `init_func` makes it of the key, and `reduce_func` makes the next of it "
          "and of each element with that key.")
          .input("input_dataset", DType::variant)
          .stateful(),
      {"key_func", "init_func", "reduce_func", "finalize_func"}));
}

void add_older_interleave(OpCatalog& catalog, const std::string& prefix) {
  catalog.add(with_function(
      make_mapping(
          (prefix + "ParallelInterleaveDataset").c_str(),
          "As ParallelInterleaveDatasetV2, with so many elements of each dataset read ahead. The\n"
          "runtime chooses how many datasets are made ahead.")
          .input("cycle_length", DType::int64)
          .input("block_length", DType::int64)
          .input("sloppy", DType::boolean)
          .input("buffer_output_elements", DType::int64)
          .input("prefetch_input_elements", DType::int64)
          .output("handle", DType::variant)));
}

void add_combining_ops(OpCatalog& catalog, const std::string& prefix) {
  catalog.add(with_element_attrs(
      make_dataset_op(
          prefix + "DirectedInterleaveDataset",
          "Elements of several datasets: each of that whose number is the selector's next element.")
          .input("selector_input_dataset", DType::variant)
          .inputs("data_input_datasets", DType::variant, "N")
          .output("handle", DType::variant)
          .attr("N", AttrType::integer)
          .attr_at_least("N", 1)));
  catalog.add(with_function(
      make_dataset_op(
          prefix + "ScanDataset",
          "What the function makes of a state and each element, behind the next state.")
          .input("input_dataset", DType::variant)
          .inputs("initial_state", "Tstate")
          .inputs("other_arguments", "Targuments")
          .output("handle", DType::variant)
          .attr("Tstate", AttrType::dtypes)
          .attr_at_least("Tstate", 1)
          .attr("Targuments", AttrType::dtypes)
          .attr("preserve_cardinality", false)));
  catalog.add(with_function(
      make_mapping(
          (prefix + "MapAndBatchDataset").c_str(),
          "Batches of what the function makes of so many elements, with so many calls at a time.",
          {-3, -2, -1})
          .input("batch_size", DType::int64)
          .input("num_parallel_calls", DType::int64)
          .input("drop_remainder", DType::boolean)
          .output("handle", DType::variant)
          .attr("preserve_cardinality", false)));
  catalog.add(with_function(
      make_mapping(
          (prefix + "TakeWhileDataset").c_str(),
          "The elements before the first for which the function returns false.")
          .output("handle", DType::variant),
      "predicate"));
}

void add_interleaving_ops(OpCatalog& catalog) {
  catalog.add(with_function(
      make_mapping(
          "FlatMapDataset",
          "The elements of the datasets that the function makes, one dataset after the other.")
          .output("handle", DType::variant)));
  catalog.add(with_function(
      make_mapping(
          "InterleaveDataset",
          "As FlatMapDataset, of `cycle_length` datasets in turns, by `block_length` elements.",
          {-2, -1})
          .input("cycle_length", DType::int64)
          .input("block_length", DType::int64)
          .output("handle", DType::variant)));
  catalog.add(with_function(
      make_mapping(
          "ParallelInterleaveDatasetV2",
          "As InterleaveDataset; the datasets are read before it is their turn. Their elements\n"
          "come in the same order, or, `sloppy`, as soon as each is there.",
          {-3, -2, -1})
          .input("cycle_length", DType::int64)
          .input("block_length", DType::int64)
          .input("num_parallel_calls", DType::int64)
          .output("handle", DType::variant)
          .attr("sloppy", false)));
}

/// The sizes of axis 0 of the arguments, which must be one, and then of a result.
Status infer_map_defun(ShapeInference& s) {
  auto rows = Shape::unknown;
  auto count = s.attr<DTypes>("Targuments").size();
  for (size_t i = 0; i < count; ++i) {
    const auto& shape = s.input(static_cast<int>(i));
    if (!shape.has_rank()) continue;
    if (shape.is_scalar())
      return invalid_argument(
          "Arguments must have rank at least 1. Input " + std::to_string(i) + " has rank of 0.");
    if (rows != Shape::unknown && shape[0] != Shape::unknown && shape[0] != rows)
      return invalid_argument("Arguments must have the same dimension 0.");
    if (shape[0] != Shape::unknown) rows = shape[0];
  }
  if (auto status = infer_components(s); !status.ok()) return status;
  for (size_t i = 0; i < s.outputs().size(); ++i) {
    const auto& row = s.outputs()[i];
    if (!row.has_rank()) continue;
    std::vector<int64_t> sizes = {rows};
    sizes.insert(sizes.end(), row.sizes().begin(), row.sizes().end());
    auto all = Shape::make(sizes);
    if (!all) return all.status();
    s.set(static_cast<int>(i), *all);
  }
  return {};
}

void add_map_defun(OpCatalog& catalog) {
  catalog.add(with_element_attrs(
      Op("MapDefun")
          .doc("What the function makes of each slice of the arguments along axis 0, stacked. "
               "Other arguments are the same for all slices.")
          .inputs("arguments", "Targuments")
          .inputs("captured_inputs", "Tcaptured")
          .outputs("output", "output_types")
          .attr("Targuments", AttrType::dtypes)
          .attr_at_least("Targuments", 1)
          .attr("Tcaptured", AttrValue(DTypes()))
          .attr("f", AttrType::function)
          .attr("max_intra_op_parallelism", int64_t{1})
          .infer_shape(infer_map_defun)));
}

}  // namespace

void add_dataset_mapping_ops(OpCatalog& catalog) {
  for (const auto* name : {"MapDataset", "ExperimentalMapDataset"})
    catalog.add(with_function(make_mapping(name, "What the function makes of each element.")
                                  .output("handle", DType::variant)
                                  .attr("use_inter_op_parallelism", true)
                                  .attr("preserve_cardinality", false)));
  catalog.add(with_function(
      make_mapping(
          "ParallelMapDataset",
          "As MapDataset, with so many calls at a time. The order is kept, or, `sloppy`, that in\n"
          "which they end.",
          {-1})
          .input("num_parallel_calls", DType::int32)
          .output("handle", DType::variant)
          .attr("use_inter_op_parallelism", true)
          .attr("sloppy", false)
          .attr("preserve_cardinality", false)));
  catalog.add(with_function(
      make_mapping("FilterDataset", "The elements for which the function returns true.")
          .output("handle", DType::variant),
      "predicate"));
  add_interleaving_ops(catalog);
  for (const auto* prefix : {"", "Experimental"}) {
    add_grouping_ops(catalog, prefix);
    add_combining_ops(catalog, prefix);
    add_older_interleave(catalog, prefix);
  }
  add_map_defun(catalog);
  catalog.add(with_element_attrs(
      Op("ReduceDataset")
          .doc("The state after the function has been called with the state and each element.")
          .input("input_dataset", DType::variant)
          .inputs("initial_state", "Tstate")
          .inputs("other_arguments", "Targuments")
          .outputs("components", "output_types")
          .attr("f", AttrType::function)
          .attr("Tstate", AttrType::dtypes)
          .attr_at_least("Tstate", 1)
          .attr("Targuments", AttrType::dtypes)
          .attr("use_inter_op_parallelism", true)
          .infer_shape(infer_components)
          .stateful()));
}

}  // namespace troupe
