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
  add_scan_ops(*catalog);
  add_segment_ops(*catalog);
  add_order_ops(*catalog);
  add_histogram_ops(*catalog);
  add_products_ops(*catalog);
  add_diagonals_ops(*catalog);
  add_decompositions_ops(*catalog);
  add_fourier_ops(*catalog);
  add_strided_slice_ops(*catalog);
  add_gather_nd_ops(*catalog);
  add_padding_ops(*catalog);
  add_reversal_ops(*catalog);
  add_space_ops(*catalog);
  add_partition_ops(*catalog);
  add_splitting_ops(*catalog);
  add_checks_ops(*catalog);
  add_sparse_ops(*catalog);
  add_activation_ops(*catalog);
  add_convolution_ops(*catalog);
  add_pooling_ops(*catalog);
  add_normalization_ops(*catalog);
  add_dilation_ops(*catalog);
  add_text_ops(*catalog);
  add_parsing_ops(*catalog);
  add_sampling_ops(*catalog);
  add_reference_ops(*catalog);
  add_scatter_ops(*catalog);
  add_optimizer_updates_ops(*catalog);
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
