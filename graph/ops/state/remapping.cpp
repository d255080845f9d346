#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Status infer_vocab_remapping(ShapeInference& s) {
  for (int i : {0, 1})
    if (auto status = s.need_rank(i, 0); !status.ok()) return status;
  s.set(0, {s.attr<int64_t>("num_new_vocab")});
  s.set(1, Shape());
  return {};
}

Status infer_loaded_matrix(ShapeInference& s) {
  if (auto status = s.need_rank(1, 0); !status.ok()) return status;
  for (int i : {2, 3})
    if (auto status = s.need_rank(i, 1); !status.ok()) return status;
  auto shape = Shape::make(std::vector{s.attr<int64_t>("num_rows"), s.attr<int64_t>("num_cols")});
  if (shape) s.set(0, *shape);
  return shape.status();
}

}  // namespace

void add_remapping_ops(OpCatalog& catalog) {
  catalog.add(Op("GenerateVocabRemapping")
      .doc("Where the words of a vocabulary are in an older one: for each of `num_new_vocab` lines "
           "of the new file, from line `new_vocab_offset` on, its line in the old file, of which "
           "`old_vocab_size` lines count, or all; -1 where it is not there. And how many are.")
      .input("new_vocab_file", DType::string)
      .input("old_vocab_file", DType::string)
      .output("remapping", DType::int64)
      .output("num_present", DType::int32)
      .attr("new_vocab_offset", AttrType::integer)
      .attr_at_least("new_vocab_offset", 0)
      .attr("num_new_vocab", AttrType::integer)
      .attr_at_least("num_new_vocab", 0)
      .attr("old_vocab_size", -1)
      .attr_at_least("old_vocab_size", -1)
      .infer_shape(infer_vocab_remapping));

  catalog.add(Op("LoadAndRemapMatrix")
      .doc("A matrix of a checkpoint with other rows, and perhaps columns: row i is row "
           "`row_remapping[i]` of the saved one, and column j its column `col_remapping[j]`, or j "
           "where that is empty. Elements of rows and columns that are -1 are "
           "`initializing_values`, one after the other. So many rows as `max_rows_in_memory` are "
           "read at a time, or all.")
      .input("ckpt_path", DType::string)
      .input("old_tensor_name", DType::string)
      .input("row_remapping", DType::int64)
      .input("col_remapping", DType::int64)
      .input("initializing_values", DType::float32)
      .output("output_matrix", DType::float32)
      .attr("num_rows", AttrType::integer)
      .attr_at_least("num_rows", 0)
      .attr("num_cols", AttrType::integer)
      .attr_at_least("num_cols", 1)
      .attr("max_rows_in_memory", -1)
      .infer_shape(infer_loaded_matrix)
      .stateful());
}

}  // namespace troupe
