#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cuda {

/// The kernels that are computed on a card, of all families. Ops that touch no elements are not
/// among them: the device takes those of the CPU.
void add_all_kernels(KernelCatalog& catalog);

// The families, each in the files of its name.
void add_argmax_pooling_kernels(KernelCatalog& catalog);
void add_batch_norm_kernels(KernelCatalog& catalog);
void add_beam_search_kernels(KernelCatalog& catalog);
void add_bias_kernels(KernelCatalog& catalog);
void add_bounded_normals_kernels(KernelCatalog& catalog);
void add_bounds_kernels(KernelCatalog& catalog);
void add_checks_kernels(KernelCatalog& catalog);
void add_clip_kernels(KernelCatalog& catalog);
void add_colours_kernels(KernelCatalog& catalog);
void add_convolution_kernels(KernelCatalog& catalog);
void add_coordinates_kernels(KernelCatalog& catalog);
void add_crop_kernels(KernelCatalog& catalog);
void add_decompositions_kernels(KernelCatalog& catalog);
void add_depthwise_kernels(KernelCatalog& catalog);
void add_diagonals_kernels(KernelCatalog& catalog);
void add_dilation_kernels(KernelCatalog& catalog);
void add_einsum_kernels(KernelCatalog& catalog);
void add_elementwise_kernels(KernelCatalog& catalog);
void add_fake_quant_kernels(KernelCatalog& catalog);
void add_filling_kernels(KernelCatalog& catalog);
void add_fourier_kernels(KernelCatalog& catalog);
void add_fused_kernels(KernelCatalog& catalog);
void add_fused_rows_kernels(KernelCatalog& catalog);
void add_gather_kernels(KernelCatalog& catalog);
void add_gru_kernels(KernelCatalog& catalog);
void add_histogram_kernels(KernelCatalog& catalog);
void add_inplace_kernels(KernelCatalog& catalog);
void add_joining_kernels(KernelCatalog& catalog);
void add_list_diff_kernels(KernelCatalog& catalog);
void add_local_response_kernels(KernelCatalog& catalog);
void add_lstm_kernels(KernelCatalog& catalog);
void add_matmul_kernels(KernelCatalog& catalog);
void add_multinomial_kernels(KernelCatalog& catalog);
void add_neighbours_kernels(KernelCatalog& catalog);
void add_patches_kernels(KernelCatalog& catalog);
void add_pooling_kernels(KernelCatalog& catalog);
void add_quantize_and_dequantize_kernels(KernelCatalog& catalog);
void add_random_kernels(KernelCatalog& catalog);
void add_ranking_kernels(KernelCatalog& catalog);
void add_reduction_kernels(KernelCatalog& catalog);
void add_reordering_kernels(KernelCatalog& catalog);
void add_resize_kernels(KernelCatalog& catalog);
void add_samples_kernels(KernelCatalog& catalog);
void add_scan_kernels(KernelCatalog& catalog);
void add_scatter_kernels(KernelCatalog& catalog);
void add_segment_kernels(KernelCatalog& catalog);
void add_select_kernels(KernelCatalog& catalog);
void add_slicing_kernels(KernelCatalog& catalog);
void add_sequence_kernels(KernelCatalog& catalog);
void add_softmax_kernels(KernelCatalog& catalog);
void add_space_kernels(KernelCatalog& catalog);
void add_sparse_dense_kernels(KernelCatalog& catalog);
void add_special_kernels(KernelCatalog& catalog);
void add_stitching_kernels(KernelCatalog& catalog);
void add_strided_assign_kernels(KernelCatalog& catalog);
void add_suppression_kernels(KernelCatalog& catalog);
void add_tensor_array_kernels(KernelCatalog& catalog);
void add_tensor_list_kernels(KernelCatalog& catalog);
void add_training_kernels(KernelCatalog& catalog);
void add_transpose_kernels(KernelCatalog& catalog);
void add_tridiagonal_kernels(KernelCatalog& catalog);
void add_triangular_kernels(KernelCatalog& catalog);
void add_unique_kernels(KernelCatalog& catalog);
void add_update_kernels(KernelCatalog& catalog);
void add_weighted_resize_kernels(KernelCatalog& catalog);
void add_where_kernels(KernelCatalog& catalog);
/// Of ops on references to variables: by kernels of ops on handles, which the catalog must have.
void add_reference_kernels(KernelCatalog& catalog);

}  // namespace troupe::cuda
