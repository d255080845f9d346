#pragma once

#include <memory>

#include "troupe/graph/op.hpp"

namespace troupe {

// One function per family, each in the file of its name.
void add_source_ops(OpCatalog& catalog);
void add_math_ops(OpCatalog& catalog);
void add_rounding_ops(OpCatalog& catalog);
void add_special_ops(OpCatalog& catalog);
void add_trigonometric_ops(OpCatalog& catalog);
void add_division_ops(OpCatalog& catalog);
void add_complex_numbers_ops(OpCatalog& catalog);
void add_bitwise_ops(OpCatalog& catalog);
void add_selection_ops(OpCatalog& catalog);
void add_activation_ops(OpCatalog& catalog);
void add_convolution_ops(OpCatalog& catalog);
void add_fractional_pooling_ops(OpCatalog& catalog);
void add_pooling_ops(OpCatalog& catalog);
void add_normalization_ops(OpCatalog& catalog);
void add_dilation_ops(OpCatalog& catalog);
void add_lstm_ops(OpCatalog& catalog);
void add_gru_ops(OpCatalog& catalog);
void add_text_ops(OpCatalog& catalog);
void add_ngrams_ops(OpCatalog& catalog);
void add_unicode_ops(OpCatalog& catalog);
void add_parsing_ops(OpCatalog& catalog);
void add_example_ops(OpCatalog& catalog);
void add_sequence_example_ops(OpCatalog& catalog);
void add_serialization_ops(OpCatalog& catalog);
void add_decoding_ops(OpCatalog& catalog);
void add_files_ops(OpCatalog& catalog);
void add_summary_ops(OpCatalog& catalog);
void add_padding_ops(OpCatalog& catalog);
void add_reversal_ops(OpCatalog& catalog);
void add_space_ops(OpCatalog& catalog);
void add_checks_ops(OpCatalog& catalog);
void add_sparse_ops(OpCatalog& catalog);
void add_strided_slice_ops(OpCatalog& catalog);
void add_gather_nd_ops(OpCatalog& catalog);
void add_splitting_ops(OpCatalog& catalog);
void add_partition_ops(OpCatalog& catalog);
void add_gather_ops(OpCatalog& catalog);
void add_ragged_ops(OpCatalog& catalog);
void add_concat_ops(OpCatalog& catalog);
void add_products_ops(OpCatalog& catalog);
void add_diagonals_ops(OpCatalog& catalog);
void add_fourier_ops(OpCatalog& catalog);
void add_matrix_functions_ops(OpCatalog& catalog);
void add_tridiagonal_ops(OpCatalog& catalog);
void add_batch_forms_ops(OpCatalog& catalog);
void add_clustering_ops(OpCatalog& catalog);
void add_decompositions_ops(OpCatalog& catalog);
void add_ranking_ops(OpCatalog& catalog);
void add_scan_ops(OpCatalog& catalog);
void add_segment_ops(OpCatalog& catalog);
void add_sparse_segment_ops(OpCatalog& catalog);
void add_histogram_ops(OpCatalog& catalog);
void add_sparse_reduction_ops(OpCatalog& catalog);
void add_sparse_arithmetic_ops(OpCatalog& catalog);
void add_sparse_cross_ops(OpCatalog& catalog);
void add_sets_ops(OpCatalog& catalog);
void add_ctc_ops(OpCatalog& catalog);
void add_resize_ops(OpCatalog& catalog);
void add_crop_ops(OpCatalog& catalog);
void add_codecs_ops(OpCatalog& catalog);
void add_colours_ops(OpCatalog& catalog);
void add_boxes_ops(OpCatalog& catalog);
void add_sounds_ops(OpCatalog& catalog);
void add_fake_quant_ops(OpCatalog& catalog);
void add_quantize_and_dequantize_ops(OpCatalog& catalog);
void add_comparison_ops(OpCatalog& catalog);
void add_reduction_ops(OpCatalog& catalog);
void add_array_ops(OpCatalog& catalog);
void add_slicing_ops(OpCatalog& catalog);
void add_nn_ops(OpCatalog& catalog);
void add_beam_search_ops(OpCatalog& catalog);
void add_random_ops(OpCatalog& catalog);
void add_state_ops(OpCatalog& catalog);
void add_session_tensors_ops(OpCatalog& catalog);
void add_reference_ops(OpCatalog& catalog);
void add_table_ops(OpCatalog& catalog);
void add_reader_ops(OpCatalog& catalog);
void add_tensor_array_ops(OpCatalog& catalog);
void add_tensor_list_ops(OpCatalog& catalog);
void add_queue_ops(OpCatalog& catalog);
void add_training_ops(OpCatalog& catalog);
void add_checkpoint_ops(OpCatalog& catalog);
void add_remapping_ops(OpCatalog& catalog);
void add_accumulator_ops(OpCatalog& catalog);
void add_staging_ops(OpCatalog& catalog);
void add_map_staging_ops(OpCatalog& catalog);
void add_barrier_ops(OpCatalog& catalog);
void add_mutex_ops(OpCatalog& catalog);
void add_control_flow_ops(OpCatalog& catalog);
void add_loops_ops(OpCatalog& catalog);
void add_functional_ops(OpCatalog& catalog);
void add_dataset_sources_ops(OpCatalog& catalog);
void add_dataset_arrangement_ops(OpCatalog& catalog);
void add_dataset_mapping_ops(OpCatalog& catalog);
void add_iterators_ops(OpCatalog& catalog);
void add_functional_control_ops(OpCatalog& catalog);
void add_script_ops(OpCatalog& catalog);
void add_transfer_ops(OpCatalog& catalog);
void add_sdca_ops(OpCatalog& catalog);
void add_boosted_trees_ops(OpCatalog& catalog);
void add_tensor_forest_ops(OpCatalog& catalog);
void add_batching_ops(OpCatalog& catalog);
void add_generators_ops(OpCatalog& catalog);
void add_protobufs_ops(OpCatalog& catalog);
void add_resampler_ops(OpCatalog& catalog);
void add_dataset_databases_ops(OpCatalog& catalog);

/// The catalog of all ops, one for the process.
std::shared_ptr<const OpCatalog> op_catalog();

}  // namespace troupe
