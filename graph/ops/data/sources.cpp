#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/data/dataset_op.hpp"

namespace troupe {
namespace {

Op make_source(const char* name, const char* doc, std::initializer_list<int> scalars = {}) {
  return make_dataset_op(name, doc, scalars).stateful();
}

Op with_components(Op op) {
  return std::move(op)
      .inputs("components", "Toutput_types")
      .output("handle", DType::variant)
      .attr("Toutput_types", AttrType::dtypes)
      .attr_at_least("Toutput_types", 1)
      .attr("output_shapes", AttrType::shapes)
      .attr_at_least("output_shapes", 1);
}

Op make_files(const char* name, const char* doc, std::initializer_list<int> scalars) {
  return make_source(name, doc, scalars).input("filenames", DType::string);
}

void add_file_ops(OpCatalog& catalog) {
  catalog.add(make_files("TextLineDataset", "The lines of the files, one after the other.", {1, 2})
                  .input("compression_type", DType::string)
                  .input("buffer_size", DType::int64)
                  .output("handle", DType::variant));
  catalog.add(make_files("TFRecordDataset", "The records of TFRecord files.", {1, 2})
                  .input("compression_type", DType::string)
                  .input("buffer_size", DType::int64)
                  .output("handle", DType::variant));
  catalog.add(make_files(
                  "FixedLengthRecordDataset",
                  "The records of files, between header and footer: `record_bytes` each.",
                  {1, 2, 3, 4})
                  .input("header_bytes", DType::int64)
                  .input("record_bytes", DType::int64)
                  .input("footer_bytes", DType::int64)
                  .input("buffer_size", DType::int64)
                  .output("handle", DType::variant));
  catalog.add(make_files(
                  "FixedLengthRecordDatasetV2",
                  "As FixedLengthRecordDataset, of files that may be compressed.", {1, 2, 3, 4, 5})
                  .input("header_bytes", DType::int64)
                  .input("record_bytes", DType::int64)
                  .input("footer_bytes", DType::int64)
                  .input("buffer_size", DType::int64)
                  .input("compression_type", DType::string)
                  .output("handle", DType::variant));
}

void add_csv_ops(OpCatalog& catalog) {
  for (const auto* name : {"CSVDataset", "ExperimentalCSVDataset"})
    catalog.add(
        make_files(
            name,
            "The records of CSV files: a scalar for each of the columns `select_cols`, or of all "
            "where that\nis empty. Fields in quotes may have line ends inside.",
            {1, 2, 3, 4, 5, 6})
            .input("compression_type", DType::string)
            .input("buffer_size", DType::int64)
            .input("header", DType::boolean)
            .input("field_delim", DType::string)
            .input("use_quote_delim", DType::boolean)
            .input("na_value", DType::string)
            .input("select_cols", DType::int64)
            .inputs("record_defaults", "output_types")
            .output("handle", DType::variant)
            .attr("output_types", AttrType::dtypes)
            .attr_at_least("output_types", 1)
            .attr("output_shapes", AttrType::shapes)
            .attr_at_least("output_shapes", 1));
}

}  // namespace

// A dataset is a variant: what makes an iterator over its elements, each of them a tensor for each
// component.
void add_dataset_sources_ops(OpCatalog& catalog) {
  catalog.add(with_components(make_source("TensorDataset", "The components as the only element.")));
  catalog.add(with_components(
      make_source("TensorSliceDataset", "The slices of the components along axis 0.")));
  catalog.add(with_element_attrs(
      make_source("RangeDataset", "The numbers from `start` to `stop`, without it.", {0, 1, 2})
          .input("start", DType::int64)
          .input("stop", DType::int64)
          .input("step", DType::int64)
          .output("handle", DType::variant)));
  catalog.add(with_element_attrs(
      make_source(
          "GeneratorDataset",
          "What `next_func` returns for what `init_func` returned, until it is OutOfRange; then\n"
          "`finalize_func` is called.")
          .inputs("init_func_other_args", "Tinit_func_args")
          .inputs("next_func_other_args", "Tnext_func_args")
          .inputs("finalize_func_other_args", "Tfinalize_func_args")
          .output("handle", DType::variant)
          .attr("init_func", AttrType::function)
          .attr("next_func", AttrType::function)
          .attr("finalize_func", AttrType::function)
          .attr("Tinit_func_args", AttrType::dtypes)
          .attr("Tnext_func_args", AttrType::dtypes)
          .attr("Tfinalize_func_args", AttrType::dtypes)));
  for (const auto* name : {"RandomDataset", "ExperimentalRandomDataset"})
    catalog.add(with_element_attrs(
        make_source(name, "Random numbers from 0 to 2^32 - 1, without an end.", {0, 1})
            .input("seed", DType::int64)
            .input("seed2", DType::int64)
            .output("handle", DType::variant)));
  catalog.add(make_source(
                  "SparseTensorSliceDataset",
                  "The rows of a sparse tensor, each as its indices, values and shape. Rows must "
                  "be in order.")
                  .input("indices", DType::int64)
                  .input("values", "Tvalues")
                  .input("dense_shape", DType::int64)
                  .output("handle", DType::variant)
                  .attr("Tvalues", AttrType::dtype));
  for (const auto* name : {"MatchingFilesDataset", "ExperimentalMatchingFilesDataset"})
    catalog.add(make_source(name, "The paths that match the patterns, in order for each of them.")
                    .input("patterns", DType::string)
                    .output("handle", DType::variant));
  add_file_ops(catalog);
  add_csv_ops(catalog);
}

}  // namespace troupe
