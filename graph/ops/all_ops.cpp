#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

std::shared_ptr<const OpCatalog> make_op_catalog() {
  auto catalog = std::make_shared<OpCatalog>();
  add_source_ops(*catalog);
  add_math_ops(*catalog);
  add_rounding_ops(*catalog);
  add_special_ops(*catalog);
  add_trigonometric_ops(*catalog);
  add_division_ops(*catalog);
  add_complex_numbers_ops(*catalog);
  add_bitwise_ops(*catalog);
  add_selection_ops(*catalog);
  add_activation_ops(*catalog);
  add_convolution_ops(*catalog);
  add_pooling_ops(*catalog);
  add_normalization_ops(*catalog);
  add_dilation_ops(*catalog);
  add_text_ops(*catalog);
  add_parsing_ops(*catalog);
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
