#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/data/dataset_op.hpp"

namespace troupe {

// Datasets of what databases hold.
void add_dataset_databases_ops(OpCatalog& catalog) {
  for (const std::string prefix : {"", "Experimental"}) {
    catalog.add(with_element_attrs(
        make_dataset_op(
            prefix + "SqlDataset",
            "The rows of a query of the SQLite database at a path: a scalar for each column. The "
            "driver's name is sqlite.",
            {0, 1, 2})
            .input("driver_name", DType::string)
            .input("data_source_name", DType::string)
            .input("query", DType::string)
            .output("handle", DType::variant)
            .stateful()));
    catalog.add(with_element_attrs(
        make_dataset_op(
            prefix + "LMDBDataset",
            "The keys and values of the main databases of LMDB files, in the order of the keys.")
            .input("filenames", DType::string)
            .output("handle", DType::variant)
            .stateful()));
  }
}

}  // namespace troupe
