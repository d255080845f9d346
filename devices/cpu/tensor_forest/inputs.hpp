#pragma once

#include "troupe/devices/kernel.hpp"
#include "troupe/devices/resources/tensor_forest/examples.hpp"
#include "troupe/devices/resources/tensor_forest/params.hpp"

namespace troupe::cpu {

// The parts of add_tensor_forest_kernels().
void add_forest_tree_kernels(KernelCatalog& catalog);
void add_forest_stats_kernels(KernelCatalog& catalog);
void add_forest_prediction_kernels(KernelCatalog& catalog);
void add_forest_training_kernels(KernelCatalog& catalog);

/// What the attribute `params` of a node says. InvalidArgument where it is no TensorForestParams.
Result<std::shared_ptr<const forest::Params>> params_of(const Node& node);
/// The columns that the attribute `input_spec` says.
Result<std::shared_ptr<const forest::DataSpec>> data_spec_of(const Node& node);

/// The examples whose dense features are the input `first`, if that is a matrix, and whose sparse
/// ones are the three inputs after it, if the indices are a matrix.
Result<forest::Examples> examples_from(
    const Launch& launch, int first, const forest::DataSpec& spec);

/// The labels of so many examples, with the weights that are the next input.
Result<forest::Targets> targets_from(
    const Launch& launch, int labels, const forest::Params& params, int64_t examples);

/// The leaves of so many examples.
Result<std::span<const int32_t>> leaf_ids_from(const Launch& launch, int input, int64_t examples);

}  // namespace troupe::cpu
