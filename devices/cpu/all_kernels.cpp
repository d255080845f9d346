#include "troupe/devices/cpu/all_kernels.hpp"

#include "troupe/devices/control_flow.hpp"
#include "troupe/devices/op_library.hpp"
#include "troupe/devices/temporary_variable.hpp"
#include "troupe/devices/transfer.hpp"

namespace troupe::cpu {

KernelCatalog make_kernel_catalog() {
  KernelCatalog catalog;
  add_source_kernels(catalog);
  add_math_kernels(catalog);
  add_rounding_kernels(catalog);
  add_special_kernels(catalog);
  add_trigonometric_kernels(catalog);
  add_division_kernels(catalog);
  add_complex_numbers_kernels(catalog);
  add_bitwise_kernels(catalog);
  add_selection_kernels(catalog);
  add_activation_kernels(catalog);
  add_convolution_kernels(catalog);
  add_pooling_kernels(catalog);
  add_normalization_kernels(catalog);
  add_dilation_kernels(catalog);
  add_text_kernels(catalog);
  add_parsing_kernels(catalog);
  add_example_kernels(catalog);
  add_sequence_example_kernels(catalog);
  add_serialization_kernels(catalog);
  add_decoding_kernels(catalog);
  add_padding_kernels(catalog);
  add_reversal_kernels(catalog);
  add_space_kernels(catalog);
  add_checks_kernels(catalog);
  add_sparse_kernels(catalog);
  add_strided_slice_kernels(catalog);
  add_gather_nd_kernels(catalog);
  add_splitting_kernels(catalog);
  add_partition_kernels(catalog);
  add_gather_kernels(catalog);
  add_concat_kernels(catalog);
  add_products_kernels(catalog);
  add_diagonals_kernels(catalog);
  add_fourier_kernels(catalog);
  add_decompositions_kernels(catalog);
  add_ranking_kernels(catalog);
  add_scan_kernels(catalog);
  add_segment_kernels(catalog);
  add_sparse_segment_kernels(catalog);
  add_histogram_kernels(catalog);
  add_ctc_kernels(catalog);
  add_sets_kernels(catalog);
  add_sparse_reduction_kernels(catalog);
  add_resize_kernels(catalog);
  add_crop_kernels(catalog);
  add_codecs_kernels(catalog);
  add_boxes_kernels(catalog);
  add_colours_kernels(catalog);
  add_comparison_kernels(catalog);
  add_reduction_kernels(catalog);
  add_array_kernels(catalog);
  add_slicing_kernels(catalog);
  add_nn_kernels(catalog);
  add_random_kernels(catalog);
  add_state_kernels(catalog);
  add_table_kernels(catalog);
  add_training_kernels(catalog);
  add_reference_kernels(catalog);
  add_checkpoint_kernels(catalog);
  add_control_flow_kernels(catalog);
  add_temporary_variable_kernels(catalog);
  add_transfer_kernels(catalog);
  catalog.fall_back_on(&loaded_kernels::find);
  return catalog;
}

}  // namespace troupe::cpu
