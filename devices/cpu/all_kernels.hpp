#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// One function per family of graph/ops, each in the file of its name.
void add_source_kernels(KernelCatalog& catalog);
void add_math_kernels(KernelCatalog& catalog);
void add_rounding_kernels(KernelCatalog& catalog);
void add_special_kernels(KernelCatalog& catalog);
void add_trigonometric_kernels(KernelCatalog& catalog);
void add_division_kernels(KernelCatalog& catalog);
void add_complex_numbers_kernels(KernelCatalog& catalog);
void add_bitwise_kernels(KernelCatalog& catalog);
void add_selection_kernels(KernelCatalog& catalog);
void add_activation_kernels(KernelCatalog& catalog);
void add_convolution_kernels(KernelCatalog& catalog);
void add_fractional_pooling_kernels(KernelCatalog& catalog);
void add_pooling_kernels(KernelCatalog& catalog);
void add_normalization_kernels(KernelCatalog& catalog);
void add_dilation_kernels(KernelCatalog& catalog);
void add_text_kernels(KernelCatalog& catalog);
void add_ngrams_kernels(KernelCatalog& catalog);
void add_unicode_kernels(KernelCatalog& catalog);
void add_parsing_kernels(KernelCatalog& catalog);
void add_example_kernels(KernelCatalog& catalog);
void add_sequence_example_kernels(KernelCatalog& catalog);
void add_serialization_kernels(KernelCatalog& catalog);
void add_decoding_kernels(KernelCatalog& catalog);
void add_files_kernels(KernelCatalog& catalog);
void add_summary_kernels(KernelCatalog& catalog);
void add_padding_kernels(KernelCatalog& catalog);
void add_reversal_kernels(KernelCatalog& catalog);
void add_space_kernels(KernelCatalog& catalog);
void add_checks_kernels(KernelCatalog& catalog);
void add_sparse_kernels(KernelCatalog& catalog);
void add_strided_slice_kernels(KernelCatalog& catalog);
void add_gather_nd_kernels(KernelCatalog& catalog);
void add_splitting_kernels(KernelCatalog& catalog);
void add_partition_kernels(KernelCatalog& catalog);
void add_gather_kernels(KernelCatalog& catalog);
void add_ragged_kernels(KernelCatalog& catalog);
void add_concat_kernels(KernelCatalog& catalog);
void add_products_kernels(KernelCatalog& catalog);
void add_diagonals_kernels(KernelCatalog& catalog);
void add_fourier_kernels(KernelCatalog& catalog);
void add_clustering_kernels(KernelCatalog& catalog);
void add_decompositions_kernels(KernelCatalog& catalog);
void add_matrix_functions_kernels(KernelCatalog& catalog);
void add_tridiagonal_kernels(KernelCatalog& catalog);
void add_batch_forms_kernels(KernelCatalog& catalog);
void add_ranking_kernels(KernelCatalog& catalog);
void add_scan_kernels(KernelCatalog& catalog);
void add_segment_kernels(KernelCatalog& catalog);
void add_sparse_segment_kernels(KernelCatalog& catalog);
void add_histogram_kernels(KernelCatalog& catalog);
void add_sparse_reduction_kernels(KernelCatalog& catalog);
void add_sparse_arithmetic_kernels(KernelCatalog& catalog);
void add_sparse_cross_kernels(KernelCatalog& catalog);
void add_sets_kernels(KernelCatalog& catalog);
void add_ctc_kernels(KernelCatalog& catalog);
void add_resize_kernels(KernelCatalog& catalog);
void add_crop_kernels(KernelCatalog& catalog);
void add_codecs_kernels(KernelCatalog& catalog);
void add_colours_kernels(KernelCatalog& catalog);
void add_boxes_kernels(KernelCatalog& catalog);
void add_sounds_kernels(KernelCatalog& catalog);
void add_fake_quant_kernels(KernelCatalog& catalog);
void add_quantize_and_dequantize_kernels(KernelCatalog& catalog);
void add_comparison_kernels(KernelCatalog& catalog);
void add_reduction_kernels(KernelCatalog& catalog);
void add_array_kernels(KernelCatalog& catalog);
void add_slicing_kernels(KernelCatalog& catalog);
void add_nn_kernels(KernelCatalog& catalog);
void add_beam_search_kernels(KernelCatalog& catalog);
void add_random_kernels(KernelCatalog& catalog);
void add_state_kernels(KernelCatalog& catalog);
void add_reference_kernels(KernelCatalog& catalog);
void add_table_kernels(KernelCatalog& catalog);
void add_reader_kernels(KernelCatalog& catalog);
void add_accumulator_kernels(KernelCatalog& catalog);
void add_staging_kernels(KernelCatalog& catalog);
void add_map_staging_kernels(KernelCatalog& catalog);
void add_barrier_kernels(KernelCatalog& catalog);
void add_mutex_kernels(KernelCatalog& catalog);
void add_tensor_array_kernels(KernelCatalog& catalog);
void add_tensor_list_kernels(KernelCatalog& catalog);
void add_queue_kernels(KernelCatalog& catalog);
void add_training_kernels(KernelCatalog& catalog);
void add_checkpoint_kernels(KernelCatalog& catalog);
void add_remapping_kernels(KernelCatalog& catalog);
void add_dataset_sources_kernels(KernelCatalog& catalog);
void add_dataset_batching_kernels(KernelCatalog& catalog);
void add_dataset_ordering_kernels(KernelCatalog& catalog);
void add_dataset_shuffling_kernels(KernelCatalog& catalog);
void add_dataset_buffering_kernels(KernelCatalog& catalog);
void add_dataset_mapping_kernels(KernelCatalog& catalog);
void add_dataset_interleaving_kernels(KernelCatalog& catalog);
void add_dataset_generator_kernels(KernelCatalog& catalog);
void add_dataset_reduction_kernels(KernelCatalog& catalog);
void add_dataset_records_kernels(KernelCatalog& catalog);
void add_iterators_kernels(KernelCatalog& catalog);
void add_sdca_kernels(KernelCatalog& catalog);
void add_boosted_trees_kernels(KernelCatalog& catalog);
void add_tensor_forest_kernels(KernelCatalog& catalog);
void add_batching_kernels(KernelCatalog& catalog);
void add_generators_kernels(KernelCatalog& catalog);
void add_protobufs_kernels(KernelCatalog& catalog);
void add_resampler_kernels(KernelCatalog& catalog);
void add_dataset_databases_kernels(KernelCatalog& catalog);

/// A catalog of all CPU kernels.
KernelCatalog make_kernel_catalog();

}  // namespace troupe::cpu
