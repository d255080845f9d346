#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

std::shared_ptr<const OpCatalog> make_op_catalog() {
  auto catalog = std::make_shared<OpCatalog>();
  add_source_ops(*catalog);
  add_math_ops(*catalog);
  add_comparison_ops(*catalog);
  add_reduction_ops(*catalog);
  add_array_ops(*catalog);
  add_slicing_ops(*catalog);
  add_nn_ops(*catalog);
  add_random_ops(*catalog);
  add_state_ops(*catalog);
  add_table_ops(*catalog);
  add_training_ops(*catalog);
  add_checkpoint_ops(*catalog);
  add_control_flow_ops(*catalog);
  add_functional_ops(*catalog);
  add_transfer_ops(*catalog);
  return catalog;
}

}  // namespace troupe
