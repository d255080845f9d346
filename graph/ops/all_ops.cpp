#include "troupe/graph/ops/all_ops.hpp"

#include "troupe/graph/ops/composed.hpp"

namespace troupe {
namespace {

struct Family {
  const char* name;  // the path of its file
  void (*add)(OpCatalog& catalog);
};

constexpr Family families[] = {
    {"source", add_source_ops},
    {"math/math", add_math_ops},
    {"math/rounding", add_rounding_ops},
    {"math/special", add_special_ops},
    {"math/trigonometric", add_trigonometric_ops},
    {"math/division", add_division_ops},
    {"math/complex_numbers", add_complex_numbers_ops},
    {"math/bitwise", add_bitwise_ops},
    {"math/selection", add_selection_ops},
    {"nn/activation", add_activation_ops},
    {"nn/convolution", add_convolution_ops},
    {"nn/fractional_pooling", add_fractional_pooling_ops},
    {"nn/pooling", add_pooling_ops},
    {"nn/normalization", add_normalization_ops},
    {"nn/dilation", add_dilation_ops},
    {"nn/lstm", add_lstm_ops},
    {"nn/gru", add_gru_ops},
    {"string/text", add_text_ops},
    {"string/ngrams", add_ngrams_ops},
    {"string/unicode", add_unicode_ops},
    {"string/parsing", add_parsing_ops},
    {"parsing/example", add_example_ops},
    {"parsing/sequence_example", add_sequence_example_ops},
    {"parsing/serialization", add_serialization_ops},
    {"parsing/protobufs", add_protobufs_ops},
    {"parsing/decoding", add_decoding_ops},
    {"parsing/files", add_files_ops},
    {"summary/summary", add_summary_ops},
    {"array/padding", add_padding_ops},
    {"array/reversal", add_reversal_ops},
    {"array/space", add_space_ops},
    {"array/checks", add_checks_ops},
    {"sparse/sparse", add_sparse_ops},
    {"array/strided_slice", add_strided_slice_ops},
    {"indexing/gather_nd", add_gather_nd_ops},
    {"array/splitting", add_splitting_ops},
    {"indexing/partition", add_partition_ops},
    {"indexing/gather", add_gather_ops},
    {"indexing/ragged", add_ragged_ops},
    {"array/concat", add_concat_ops},
    {"linalg/products", add_products_ops},
    {"linalg/diagonals", add_diagonals_ops},
    {"linalg/fourier", add_fourier_ops},
    {"linalg/clustering", add_clustering_ops},
    {"linalg/decompositions", add_decompositions_ops},
    {"linalg/matrix_functions", add_matrix_functions_ops},
    {"linalg/tridiagonal", add_tridiagonal_ops},
    {"linalg/batch_forms", add_batch_forms_ops},
    {"reduction/ranking", add_ranking_ops},
    {"reduction/scan", add_scan_ops},
    {"reduction/segment", add_segment_ops},
    {"reduction/sparse_segment", add_sparse_segment_ops},
    {"reduction/histogram", add_histogram_ops},
    {"nn/ctc", add_ctc_ops},
    {"sparse/sets", add_sets_ops},
    {"sparse/sparse_reduction", add_sparse_reduction_ops},
    {"sparse/sparse_arithmetic", add_sparse_arithmetic_ops},
    {"sparse/sparse_cross", add_sparse_cross_ops},
    {"image/resize", add_resize_ops},
    {"image/crop", add_crop_ops},
    {"image/resampler", add_resampler_ops},
    {"image/codecs", add_codecs_ops},
    {"image/boxes", add_boxes_ops},
    {"audio/sounds", add_sounds_ops},
    {"quantization/fake_quant", add_fake_quant_ops},
    {"quantization/quantize_and_dequantize", add_quantize_and_dequantize_ops},
    {"image/colours", add_colours_ops},
    {"math/comparison", add_comparison_ops},
    {"reduction/reduction", add_reduction_ops},
    {"array/array", add_array_ops},
    {"array/slicing", add_slicing_ops},
    {"nn/nn", add_nn_ops},
    {"nn/beam_search", add_beam_search_ops},
    {"random/random", add_random_ops},
    {"random/generators", add_generators_ops},
    {"state/state", add_state_ops},
    {"state/reference", add_reference_ops},
    {"state/session_tensors", add_session_tensors_ops},
    {"state/table", add_table_ops},
    {"state/tensor_array", add_tensor_array_ops},
    {"queue/queue", add_queue_ops},
    {"parsing/reader", add_reader_ops},
    {"state/training", add_training_ops},
    {"state/checkpoint", add_checkpoint_ops},
    {"state/remapping", add_remapping_ops},
    {"data_flow/accumulator", add_accumulator_ops},
    {"data_flow/staging", add_staging_ops},
    {"data_flow/map_staging", add_map_staging_ops},
    {"data_flow/barrier", add_barrier_ops},
    {"data_flow/mutex", add_mutex_ops},
    {"data_flow/batching", add_batching_ops},
    {"data_flow/tensor_list", add_tensor_list_ops},
    {"learning/sdca", add_sdca_ops},
    {"control_flow", add_control_flow_ops},
    {"loops", add_loops_ops},
    {"functional", add_functional_ops},
    {"data/sources", add_dataset_sources_ops},
    {"data/arrangement", add_dataset_arrangement_ops},
    {"data/databases", add_dataset_databases_ops},
    {"data/mapping", add_dataset_mapping_ops},
    {"data/iterators", add_iterators_ops},
    {"learning/boosted_trees", add_boosted_trees_ops},
    {"learning/tensor_forest", add_tensor_forest_ops},
    {"functional_control", add_functional_control_ops},
    {"script", add_script_ops},
    {"transfer", add_transfer_ops},
    {"composed", add_composed_ops},
};

std::shared_ptr<const OpCatalog> make_all() {
  auto catalog = std::make_shared<OpCatalog>();
  for (const auto& family : families) {
    catalog->begin_family(family.name);
    family.add(*catalog);
  }
  return catalog;
}

}  // namespace

std::shared_ptr<const OpCatalog> op_catalog() {
  static const std::shared_ptr<const OpCatalog> all = make_all();
  return all;
}

}  // namespace troupe
