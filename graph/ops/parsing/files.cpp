#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Status need_scalar_inputs(const ShapeInference& s) {
  for (int i = 0; i < s.input_count(); ++i)
    if (auto status = s.need_rank(i, 0); !status.ok()) return status;
  return {};
}

}  // namespace

// Files are those of the task that runs the op.
void add_files_ops(OpCatalog& catalog) {
  catalog.add(Op("ReadFile")
      .doc("The contents of a file; NotFound where there is none.")
      .input("filename", DType::string)
      .output("contents", DType::string)
      .infer_shape([](ShapeInference& s) {
        s.set(0, Shape());
        return need_scalar_inputs(s);
      }));
  catalog.add(Op("WriteFile")
      .doc("Writes a file, and the folders that it lacks. One that is there is replaced as a "
           "whole.")
      .input("filename", DType::string)
      .input("contents", DType::string)
      .infer_shape([](ShapeInference& s) { return need_scalar_inputs(s); })
      .stateful());
  catalog.add(Op("MatchingFiles")
      .doc("The paths that match any of the patterns, in order: * and ? stand for any characters "
           "of one name, [a-z] for one of these.")
      .input("pattern", DType::string)
      .output("filenames", DType::string)
      .infer_shape([](ShapeInference& s) {
        s.set(0, {Shape::unknown});
        if (s.input(0).rank() <= 1) return Status();
        return invalid_argument(
            "the patterns must be a scalar or vector, but are " + s.input(0).to_string());
      }));
}

}  // namespace troupe
