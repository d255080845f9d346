#include <string>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/learning/resource_ops.hpp"

namespace troupe {
namespace {

/// The examples that input 1 has as its rows, unless it has none: then they are sparse.
int64_t rows_of_examples(const ShapeInference& s) {
  const auto& dense = s.input(1);
  return dense.has_rank() && dense.rank() > 0 && dense[0] > 0 ? dense[0] : Shape::unknown;
}

/// An op on a tree and examples.
Op on_examples(std::string name) {
  return Op(std::move(name))
      .input("tree_handle", DType::resource)
      .input("input_data", DType::float32)
      .input("sparse_input_indices", DType::int64)
      .input("sparse_input_values", DType::float32)
      .input("sparse_input_shape", DType::int64)
      .attr("input_spec", AttrType::string)
      .attr("params", AttrType::string);
}

/// The ops that make a resource, and that save it.
struct Names {
  const char* resource;
  const char* handle;
  const char* config;
  const char* what;
};

void add_saved(OpCatalog& catalog, const Names& names, std::string prefix, bool has_params) {
  std::string what = names.what, creator = "Create" + prefix + "Variable";
  catalog.add(learning_handle_op(names.resource)
      .doc("The handle of the " + what + " `shared_name` in `container`, which " + creator +
           " makes. Without a name only the session can use it."));
  catalog.add(Op(prefix + "IsInitializedOp")
      .doc("Whether the " + what + " was created.")
      .input(names.handle, DType::resource)
      .output("is_initialized", DType::boolean)
      .infer_shape(infer_scalars)
      .stateful());
  catalog.add(Op(std::move(creator))
      .doc("Makes the " + what + " what the bytes of a message say, by parameters that are the "
           "bytes of a TensorForestParams, unless there is one.")
      .input(names.handle, DType::resource)
      .input(names.config, DType::string)
      .attr("params", AttrType::string)
      .infer_shape(infer_scalars)
      .stateful());
  catalog.add(Op(prefix + "Deserialize")
      .doc("Makes the " + what + ", which was created before, what the bytes of a message say.")
      .input(names.handle, DType::resource)
      .input(names.config, DType::string)
      .attr("params", AttrType::string)
      .infer_shape(infer_scalars)
      .stateful());
  auto serialize = Op(Op(prefix + "Serialize")
      .doc("The " + what + " as the bytes of a message.")
      .input(names.handle, DType::resource)
      .output(names.config, DType::string)
      .infer_shape(infer_scalars)
      .stateful());
  if (has_params) std::move(serialize).attr("params", AttrType::string);
  catalog.add(std::move(serialize));
}

void add_tree_ops(OpCatalog& catalog) {
  catalog.add(Op("TreeSize")
      .doc("How many nodes the tree has.")
      .input("tree_handle", DType::resource)
      .output("tree_size", DType::int32)
      .infer_shape(infer_scalars)
      .stateful());
  catalog.add(Op("FeatureUsageCounts")
      .doc("How many splits of the tree use each feature.")
      .input("tree_handle", DType::resource)
      .output("feature_counts", DType::int32)
      .attr("params", AttrType::string)
      .infer_shape([](ShapeInference& s) {
        s.set(0, {Shape::unknown});
        return s.need_rank(0, 0);
      })
      .stateful());
  catalog.add(Op(on_examples("TreePredictionsV4")
      .doc("What the leaves predict that examples get to: the part that each class has of their "
           "weights, or the means of a regression. Where the parameters ask for them, each way "
           "there as the bytes of a TreePath.")
      .output("predictions", DType::float32)
      .output("tree_paths", DType::string)
      .infer_shape([](ShapeInference& s) {
        s.set(0, {rows_of_examples(s), Shape::unknown});
        s.set(1, {Shape::unknown});
        return s.need_rank(0, 0);
      })
      .stateful()));
  catalog.add(Op(on_examples("TraverseTreeV4")
      .doc("The leaves that examples get to.")
      .output("leaf_ids", DType::int32)
      .infer_shape([](ShapeInference& s) {
        s.set(0, {rows_of_examples(s)});
        return s.need_rank(0, 0);
      })
      .stateful()));
}

void add_growth_ops(OpCatalog& catalog) {
  catalog.add(Op("UpdateModelV4")
      .doc("Adds examples to the weights of the leaves that they got to. The means of a regression "
           "stay as they are.")
      .input("tree_handle", DType::resource)
      .input("leaf_ids", DType::int32)
      .input("input_labels", DType::float32)
      .input("input_weights", DType::float32)
      .attr("params", AttrType::string)
      .infer_shape([](ShapeInference& s) { return s.need_rank(0, 0); })
      .stateful());
  catalog.add(Op("ProcessInputV4")
      .doc("Adds examples to what is known of the leaves that they got to: while a leaf lacks "
           "candidates for its split it gets one for each, by a feature that is drawn. Which "
           "leaves have seen enough to be split.")
      .input("tree_handle", DType::resource)
      .input("stats_handle", DType::resource)
      .input("input_data", DType::float32)
      .input("sparse_input_indices", DType::int64)
      .input("sparse_input_values", DType::float32)
      .input("sparse_input_shape", DType::int64)
      .input("input_labels", DType::float32)
      .input("input_weights", DType::float32)
      .input("leaf_ids", DType::int32)
      .output("finished_nodes", DType::int32)
      .attr("random_seed", AttrType::integer)
      .attr("input_spec", AttrType::string)
      .attr("params", AttrType::string)
      .infer_shape([](ShapeInference& s) {
        s.set(0, {Shape::unknown});
        auto status = s.need_rank(0, 0);
        return status.ok() ? s.need_rank(1, 0) : status;
      })
      .stateful());
  catalog.add(Op("GrowTreeV4")
      .doc("Splits leaves, each by the best of its candidates, until the tree has as many nodes as "
           "the parameters allow. A leaf whose candidates are all useless begins anew.")
      .input("tree_handle", DType::resource)
      .input("stats_handle", DType::resource)
      .input("finished_nodes", DType::int32)
      .attr("params", AttrType::string)
      .infer_shape([](ShapeInference& s) {
        for (int i : {0, 1})
          if (auto status = s.need_rank(i, 0); !status.ok()) return status;
        return Status();
      })
      .stateful());
  catalog.add(Op("FinalizeTree")
      .doc("Leaves the means of a regression as they are. As in TensorFlow, classes have no such "
           "form that is final.")
      .input("tree_handle", DType::resource)
      .input("stats_handle", DType::resource)
      .attr("params", AttrType::string)
      .infer_shape([](ShapeInference& s) {
        auto status = s.need_rank(0, 0);
        return status.ok() ? s.need_rank(1, 0) : status;
      })
      .stateful());
}

}  // namespace

// Forests of trees that grow while examples come. A tree is one resource, what it learns from
// another one.
void add_tensor_forest_ops(OpCatalog& catalog) {
  add_saved(
      catalog, {"DecisionTreeResourceHandleOp", "tree_handle", "tree_config", "decision tree"},
      "Tree", false);
  add_saved(
      catalog, {"FertileStatsResourceHandleOp", "stats_handle", "stats_config", "fertile stats"},
      "FertileStats", true);
  add_tree_ops(catalog);
  add_growth_ops(catalog);
  catalog.add(Op("ReinterpretStringToFloat")
      .doc("A number for each string, which is the same for the same string, and means nothing.")
      .input("input_data", DType::string)
      .output("output_data", DType::float32)
      .infer_shape([](ShapeInference& s) {
        s.set(0, s.input(0));
        return Status();
      }));
}

}  // namespace troupe
