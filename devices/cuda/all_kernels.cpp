#include "troupe/devices/cuda/all_kernels.hpp"

namespace troupe::cuda {

void add_all_kernels(KernelCatalog& catalog) {
  // Rows are made of kernels before them.
  for (auto add :
       {add_argmax_pooling_kernels, add_batch_norm_kernels, add_bias_kernels, add_bounds_kernels,
        add_clip_kernels, add_colours_kernels, add_convolution_kernels, add_coordinates_kernels,
        add_depthwise_kernels, add_diagonals_kernels, add_dilation_kernels, add_einsum_kernels,
        add_elementwise_kernels, add_filling_kernels, add_gather_kernels, add_gru_kernels,
        add_histogram_kernels, add_joining_kernels, add_local_response_kernels, add_lstm_kernels,
        add_matmul_kernels, add_neighbours_kernels, add_patches_kernels, add_pooling_kernels,
        add_quantize_and_dequantize_kernels, add_ranking_kernels, add_reduction_kernels,
        add_reordering_kernels, add_scan_kernels, add_scatter_kernels, add_select_kernels,
        add_slicing_kernels, add_softmax_kernels, add_space_kernels, add_special_kernels,
        add_transpose_kernels, add_fake_quant_kernels,
        // Of kernels of others, which come before them.
        add_fused_kernels, add_fused_rows_kernels})
    add(catalog);
  // What they put on the stream follows from their inputs. That of others does not: they copy from
  // the host, or work on variables; or a cache may give up what it reads, as plans of transforms;
  // or a library computes on the host and waits, as cuSOLVER does.
  for (const auto& op : catalog.ops()) catalog.set_repeats(op, Repeats::as_work);
  for (auto add : {add_beam_search_kernels,  add_bounded_normals_kernels, add_checks_kernels,
                   add_crop_kernels,         add_decompositions_kernels,  add_fourier_kernels,
                   add_inplace_kernels,      add_list_diff_kernels,       add_multinomial_kernels,
                   add_random_kernels,       add_resize_kernels,          add_samples_kernels,
                   add_segment_kernels,      add_sequence_kernels,        add_sparse_dense_kernels,
                   add_stitching_kernels,    add_strided_assign_kernels,  add_suppression_kernels,
                   add_tensor_array_kernels, add_tensor_list_kernels,     add_training_kernels,
                   add_triangular_kernels,   add_tridiagonal_kernels,     add_unique_kernels,
                   add_update_kernels,       add_weighted_resize_kernels, add_where_kernels,
                   add_reference_kernels})
    add(catalog);
}

}  // namespace troupe::cuda
