#include "troupe/graph/optimize/precision_lists.hpp"

#include <algorithm>
#include <cctype>

#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

using Names = PrecisionLists::Names;

const std::string prefix = "TF_AUTO_MIXED_PRECISION_GRAPH_REWRITE_";

Names names_in(std::string_view text, char separator) {
  Names names;
  for (auto part : split(text, separator))
    if (auto name = trim(part); !name.empty()) names.emplace(name);
  return names;
}

Names allowed() {
  return names_in(
      "BatchMatMul BatchMatMulV2 BlockLSTM BlockLSTMGrad BlockLSTMGradV2 BlockLSTMV2 Conv2D "
      "Conv2DBackpropFilter Conv2DBackpropInput Conv3D Conv3DBackpropFilter "
      "Conv3DBackpropFilterV2 Conv3DBackpropInput Conv3DBackpropInputV2 CudnnRNN CudnnRNNBackprop "
      "CudnnRNNBackpropV2 CudnnRNNBackpropV3 CudnnRNNV2 CudnnRNNV3 DepthwiseConv2dNative "
      "DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput Einsum GRUBlockCell "
      "GRUBlockCellGrad LSTMBlockCell LSTMBlockCellGrad MatMul",
      ' ');
}

Names inferred() {
  return names_in(
      "Add AddN AddV2 AvgPool AvgPool3D AvgPool3DGrad AvgPoolGrad BiasAdd BiasAddGrad BiasAddV1 "
      "Elu EluGrad Erf Erfc FloorDiv FusedBatchNormGradV2 FusedBatchNormGradV3 FusedBatchNormV2 "
      "FusedBatchNormV3 Inv LeakyRelu LeakyReluGrad Log Log1p LogSoftmax Mul Prod RealDiv "
      "Reciprocal Sigmoid SigmoidGrad Softmax Softplus SoftplusGrad Sqrt Sub Tanh TanhGrad",
      ' ');
}

Names denied() {
  return names_in(
      "Exp Expm1 L2Loss Mean Pow SaveV2 SoftmaxCrossEntropyWithLogits "
      "SparseSoftmaxCrossEntropyWithLogits Sum",
      ' ');
}

Names cleared() {
  return names_in(
      "Abs ArgMax ArgMin BatchToSpace BatchToSpaceND BroadcastTo Ceil CheckNumerics ClipByValue "
      "Concat ConcatV2 DepthToSpace DynamicPartition DynamicStitch EnsureShape Enter Equal Exit "
      "ExpandDims Fill Floor Gather GatherNd GatherV2 Greater GreaterEqual Identity IdentityN "
      "IsFinite IsInf IsNan Less LessEqual Max MaxPool MaxPool3D MaxPool3DGrad MaxPool3DGradGrad "
      "MaxPoolGrad MaxPoolGradGrad MaxPoolGradGradV2 MaxPoolGradV2 MaxPoolV2 Maximum Merge Min "
      "Minimum MirrorPad MirrorPadGrad Neg NextIteration NotEqual OneHot OnesLike Pack Pad PadV2 "
      "PreventGradient Rank Relu Relu6 Relu6Grad ReluGrad Reshape ResizeNearestNeighbor "
      "ResizeNearestNeighborGrad Reverse ReverseSequence ReverseV2 Round Select Shape ShapeN Sign "
      "Size Slice Snapshot SpaceToBatch SpaceToBatchND SpaceToDepth Split SplitV Squeeze "
      "StopGradient StridedSlice StridedSliceGrad Switch Tile TopK TopKV2 Transpose Where "
      "ZerosLike",
      ' ');
}

void change(Names& names, const Environment& environment, const std::string& list) {
  names.merge(names_in(variable(environment, prefix + list + "_ADD"), ','));
  for (const auto& name : names_in(variable(environment, prefix + list + "_REMOVE"), ','))
    names.erase(name);
}

}  // namespace

Result<PrecisionLists> PrecisionLists::from(const Environment& environment) {
  auto level = variable(environment, prefix + "LEVEL");
  std::ranges::transform(level, level.begin(), [](unsigned char c) { return std::toupper(c); });
  constexpr auto products_alone = "TENSOR_CORES_ONLY", all = "UNSAFE_FORCE_ALL";
  if (!level.empty() && level != products_alone && level != all)
    return invalid_argument(
        prefix + "LEVEL is " + products_alone + " or " + all + ", not '" + level + "'");
  PrecisionLists lists;
  lists.forces_all = level == all;
  lists.allow = allowed();
  change(lists.allow, environment, "WHITELIST");
  if (level == products_alone) return lists;
  lists.infer = inferred();
  change(lists.infer, environment, "GRAYLIST");
  lists.deny = denied();
  change(lists.deny, environment, "BLACKLIST");
  lists.clear = cleared();
  change(lists.clear, environment, "CLEARLIST");
  Names seen;
  for (const auto* list : {&lists.allow, &lists.infer, &lists.deny, &lists.clear})
    for (const auto& name : *list)
      if (!seen.insert(name).second)
        return invalid_argument(
            "the op '" + name + "' is in several of the lists for mixed precision");
  return lists;
}

}  // namespace troupe
