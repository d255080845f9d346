#pragma once

#include <memory>

#include "troupe/graph/op.hpp"

namespace troupe {

// One function per family, each in the file of its name.
void add_source_ops(OpCatalog& catalog);
void add_math_ops(OpCatalog& catalog);
void add_comparison_ops(OpCatalog& catalog);
void add_reduction_ops(OpCatalog& catalog);
void add_array_ops(OpCatalog& catalog);
void add_slicing_ops(OpCatalog& catalog);
void add_nn_ops(OpCatalog& catalog);
void add_random_ops(OpCatalog& catalog);
void add_state_ops(OpCatalog& catalog);
void add_table_ops(OpCatalog& catalog);
void add_training_ops(OpCatalog& catalog);
void add_checkpoint_ops(OpCatalog& catalog);
void add_control_flow_ops(OpCatalog& catalog);
void add_functional_ops(OpCatalog& catalog);
void add_transfer_ops(OpCatalog& catalog);

/// A catalog of all ops.
std::shared_ptr<const OpCatalog> make_op_catalog();

}  // namespace troupe
