#include "troupe/devices/cpu/all_kernels.hpp"

#include "troupe/devices/control_flow.hpp"
#include "troupe/devices/cpu/composed.hpp"
#include "troupe/devices/cpu/math/math.hpp"
#include "troupe/devices/op_library.hpp"
#include "troupe/devices/session_tensor_kernels.hpp"
#include "troupe/devices/temporary_variable.hpp"
#include "troupe/devices/transfer.hpp"

namespace troupe::cpu {
namespace {

using Add = void (*)(KernelCatalog& catalog);

constexpr Add families[] = {
    add_source_kernels,
    add_math_kernels,
    add_rounding_kernels,
    add_special_kernels,
    add_trigonometric_kernels,
    add_division_kernels,
    add_complex_numbers_kernels,
    add_bitwise_kernels,
    add_selection_kernels,
    add_activation_kernels,
    add_convolution_kernels,
    add_fractional_pooling_kernels,
    add_pooling_kernels,
    add_normalization_kernels,
    add_dilation_kernels,
    add_text_kernels,
    add_ngrams_kernels,
    add_unicode_kernels,
    add_parsing_kernels,
    add_example_kernels,
    add_sequence_example_kernels,
    add_serialization_kernels,
    add_protobufs_kernels,
    add_decoding_kernels,
    add_files_kernels,
    add_summary_kernels,
    add_padding_kernels,
    add_reversal_kernels,
    add_space_kernels,
    add_checks_kernels,
    add_sparse_kernels,
    add_strided_slice_kernels,
    add_gather_nd_kernels,
    add_splitting_kernels,
    add_partition_kernels,
    add_gather_kernels,
    add_ragged_kernels,
    add_concat_kernels,
    add_products_kernels,
    add_diagonals_kernels,
    add_fourier_kernels,
    add_clustering_kernels,
    add_decompositions_kernels,
    add_matrix_functions_kernels,
    add_tridiagonal_kernels,
    add_batch_forms_kernels,
    add_ranking_kernels,
    add_scan_kernels,
    add_segment_kernels,
    add_sparse_segment_kernels,
    add_histogram_kernels,
    add_ctc_kernels,
    add_sets_kernels,
    add_sparse_reduction_kernels,
    add_sparse_arithmetic_kernels,
    add_sparse_cross_kernels,
    add_resize_kernels,
    add_crop_kernels,
    add_resampler_kernels,
    add_codecs_kernels,
    add_boxes_kernels,
    add_sounds_kernels,
    add_fake_quant_kernels,
    add_quantize_and_dequantize_kernels,
    add_colours_kernels,
    add_comparison_kernels,
    add_reduction_kernels,
    add_array_kernels,
    add_slicing_kernels,
    add_nn_kernels,
    add_beam_search_kernels,
    add_random_kernels,
    add_generators_kernels,
    add_state_kernels,
    add_table_kernels,
    add_reader_kernels,
    add_tensor_array_kernels,
    add_tensor_list_kernels,
    add_queue_kernels,
    add_training_kernels,
    add_reference_kernels,
    add_checkpoint_kernels,
    add_remapping_kernels,
    add_sdca_kernels,
    add_accumulator_kernels,
    add_staging_kernels,
    add_map_staging_kernels,
    add_barrier_kernels,
    add_mutex_kernels,
    add_batching_kernels,
    add_dataset_sources_kernels,
    add_dataset_batching_kernels,
    add_dataset_ordering_kernels,
    add_dataset_shuffling_kernels,
    add_dataset_buffering_kernels,
    add_dataset_mapping_kernels,
    add_dataset_interleaving_kernels,
    add_dataset_generator_kernels,
    add_dataset_reduction_kernels,
    add_dataset_records_kernels,
    add_dataset_databases_kernels,
    add_iterators_kernels,
    add_boosted_trees_kernels,
    add_tensor_forest_kernels,
    add_control_flow_kernels,
    add_temporary_variable_kernels,
    add_session_tensor_kernels,
    add_transfer_kernels,
    add_composed_kernels,
};

}  // namespace

KernelCatalog make_kernel_catalog() {
  KernelCatalog catalog;
  for (auto add : families) add(catalog);
  add_fused_kernel(catalog);
  catalog.fall_back_on(&loaded_kernels::find);
  return catalog;
}

}  // namespace troupe::cpu
