#include "troupe/devices/memory/host_arguments.hpp"

#include <map>

namespace troupe {
namespace {

using Table = std::map<std::string_view, HostArguments>;

/// Shapes, axes, sizes and positions.
Table arrays() {
  return {
      {"BatchToSpace", {{1}}},
      {"BatchToSpaceND", {{1, 2}}},
      {"BroadcastArgs", {{0, 1}, {0}}},
      {"BroadcastGradientArgs", {{0, 1}, {0, 1}}},
      {"BroadcastTo", {{1}}},
      {"Concat", {{0}}},
      {"ConcatV2", {{-1}}},
      {"ConjugateTranspose", {{1}}},
      {"Empty", {{0}}},
      {"ExpandDims", {{1}}},
      {"Fill", {{0}}},
      {"Fingerprint", {{1}}},
      {"GatherV2", {{2}}},
      {"IRFFT", {{1}}},
      {"IRFFT2D", {{1}}},
      {"IRFFT3D", {{1}}},
      {"LinSpace", {{0, 1, 2}}},
      {"MirrorPad", {{1}}},
      {"MirrorPadGrad", {{1}}},
      {"OneHot", {{1}}},
      {"Pad", {{1}}},
      {"PadV2", {{1}}},
      {"RFFT", {{1}}},
      {"RFFT2D", {{1}}},
      {"RFFT3D", {{1}}},
      {"Range", {{0, 1, 2}}},
      {"Rank", {{}, {0}}},
      {"Reshape", {{1}}},
      {"Reverse", {{1}}},
      {"ReverseSequence", {{1}}},
      {"ReverseV2", {{1}}},
      {"Roll", {{1, 2}}},
      {"ScatterNd", {{2}}},
      {"Shape", {{}, {0}}},
      {"Size", {{}, {0}}},
      {"Slice", {{1, 2}}},
      {"SpaceToBatch", {{1}}},
      {"SpaceToBatchND", {{1, 2}}},
      {"Split", {{0}}},
      {"SplitV", {{1, 2}}},
      {"StridedSlice", {{1, 2, 3}}},
      {"StridedSliceGrad", {{0, 1, 2, 3}}},
      {"Tile", {{1}}},
      {"TileGrad", {{1}}},
      {"Transpose", {{1}}},
      {"UniqueV2", {{1}}},
      {"UniqueWithCountsV2", {{1}}},
      {"UnravelIndex", {{1}}},
      {"VariableShape", {{}, {0}}},
  };
}

/// Axes, and how many.
Table reductions() {
  return {
      {"All", {{1}}},
      {"Any", {{1}}},
      {"ArgMax", {{1}}},
      {"ArgMin", {{1}}},
      {"Bincount", {{1}}},
      {"Cumprod", {{1}}},
      {"Cumsum", {{1}}},
      {"CumulativeLogsumexp", {{1}}},
      {"EuclideanNorm", {{1}}},
      {"HistogramFixedWidth", {{1, 2}}},
      {"InTopKV2", {{2}}},
      {"Max", {{1}}},
      {"Mean", {{1}}},
      {"Min", {{1}}},
      {"NthElement", {{1}}},
      {"Prod", {{1}}},
      {"SegmentMax", {{1}}},
      {"SegmentMean", {{1}}},
      {"SegmentMin", {{1}}},
      {"SegmentProd", {{1}}},
      {"SegmentSum", {{1}}},
      {"SparseSegmentMean", {{1, 2}}},
      {"SparseSegmentMeanGrad", {{1, 2, 3}}},
      {"SparseSegmentMeanWithNumSegments", {{1, 2, 3}}},
      {"SparseSegmentSqrtN", {{1, 2}}},
      {"SparseSegmentSqrtNGrad", {{1, 2, 3}}},
      {"SparseSegmentSqrtNWithNumSegments", {{1, 2, 3}}},
      {"SparseSegmentSum", {{1, 2}}},
      {"SparseSegmentSumWithNumSegments", {{1, 2, 3}}},
      {"Sum", {{1}}},
      {"TopKV2", {{1}}},
      {"UnsortedSegmentMax", {{2}}},
      {"UnsortedSegmentMin", {{2}}},
      {"UnsortedSegmentProd", {{2}}},
      {"UnsortedSegmentSum", {{2}}},
  };
}

/// Of which image each box is, sizes and limits.
Table images() {
  return {
      {"CropAndResize", {{2, 3}}},
      {"CropAndResizeGradBoxes", {{3}}},
      {"CropAndResizeGradImage", {{2, 3}}},
      {"ExtractGlimpse", {{1}}},
      {"NonMaxSuppression", {{2}}},
      {"NonMaxSuppressionV2", {{2, 3}}},
      {"NonMaxSuppressionV3", {{2, 3, 4}}},
      {"NonMaxSuppressionV4", {{2, 3, 4}}},
      {"NonMaxSuppressionV5", {{2, 3, 4, 5}}},
      {"NonMaxSuppressionWithOverlaps", {{2, 3, 4}}},
      {"ResizeArea", {{1}}},
      {"ResizeBicubic", {{1}}},
      {"ResizeBilinear", {{1}}},
      {"ResizeNearestNeighbor", {{1}}},
      {"ResizeNearestNeighborGrad", {{1}}},
  };
}

/// Keys and values of tables, positions in arrays, and numbers that are checked.
Table states() {
  return {
      {"ApplyProximalAdagrad", {{2, 3, 4}}},
      {"InitializeTable", {{1, 2}}},
      {"InitializeTableV2", {{1, 2}}},
      {"IsVariableInitialized", {{}, {0}}},
      {"LookupTableExport", {{}, {0, 1}}},
      {"LookupTableExportV2", {{}, {0, 1}}},
      {"LookupTableFind", {{1, 2}, {0}}},
      {"LookupTableFindV2", {{1, 2}, {0}}},
      {"LookupTableImport", {{1, 2}}},
      {"LookupTableImportV2", {{1, 2}}},
      {"LookupTableInsert", {{1, 2}}},
      {"LookupTableInsertV2", {{1, 2}}},
      {"LookupTableRemoveV2", {{1}}},
      {"LookupTableSize", {{}, {0}}},
      {"LookupTableSizeV2", {{}, {0}}},
      {"MapPeek", {{0, 1}}},
      {"MapStage", {{0, 1}}},
      {"MapUnstage", {{0, 1}}},
      {"MapUnstageNoKey", {{0}, {0}}},
      {"OrderedMapPeek", {{0, 1}}},
      {"OrderedMapStage", {{0, 1}}},
      {"OrderedMapUnstage", {{0, 1}}},
      {"OrderedMapUnstageNoKey", {{0}, {0}}},
      {"ReaderNumRecordsProduced", {{}, {0}}},
      {"ReaderNumRecordsProducedV2", {{}, {0}}},
      {"ReaderNumWorkUnitsCompleted", {{}, {0}}},
      {"ReaderNumWorkUnitsCompletedV2", {{}, {0}}},
      {"ReaderReadUpTo", {{2}}},
      {"ReaderReadUpToV2", {{2}}},
      {"ResourceApplyProximalAdagrad", {{2, 3, 4}}},
      {"ResourceSparseApplyFtrl", {{5, 6, 7, 8}}},
      {"ResourceSparseApplyFtrlV2", {{5, 6, 7, 8, 9}}},
      {"ResourceSparseApplyProximalAdagrad", {{2, 3, 4}}},
      {"ResourceStridedSliceAssign", {{1, 2, 3}}},
      {"SparseApplyFtrl", {{5, 6, 7, 8}}},
      {"SparseApplyFtrlV2", {{5, 6, 7, 8, 9}}},
      {"SparseApplyProximalAdagrad", {{2, 3, 4}}},
      {"StagePeek", {{0}}},
      {"StridedSliceAssign", {{1, 2, 3}}},
      {"TensorArrayConcatV3", {{}, {1}}},
      {"TensorArrayGatherV3", {{1}}},
      {"TensorArrayGradWithShape", {{2}}},
      {"TensorArrayReadV3", {{1}}},
      {"TensorArrayScatterV3", {{1}}},
      {"TensorArraySizeV3", {{}, {0}}},
      {"TensorArraySplitV3", {{2}}},
      {"TensorArrayV3", {{0}}},
      {"TensorArrayWriteV3", {{1}}},
      {"VarIsInitializedOp", {{}, {0}}},
  };
}

/// Shapes, positions and lengths of lists of tensors; the lists are values of the host anyway.
Table lists() {
  return {
      {"EmptyTensorList", {{0, 1}}},
      {"TensorListConcat", {{}, {1}}},
      {"TensorListConcatV2", {{1, 2}, {1}}},
      {"TensorListElementShape", {{}, {0}}},
      {"TensorListFromTensor", {{1}}},
      {"TensorListGather", {{1, 2}}},
      {"TensorListGetItem", {{1, 2}}},
      {"TensorListLength", {{}, {0}}},
      {"TensorListPopBack", {{1}}},
      {"TensorListReserve", {{0, 1}}},
      {"TensorListResize", {{1}}},
      {"TensorListScatter", {{1, 2}}},
      {"TensorListScatterIntoExistingList", {{2}}},
      {"TensorListScatterV2", {{1, 2, 3}}},
      {"TensorListSetItem", {{1}}},
      {"TensorListSplit", {{1, 2}}},
      {"TensorListStack", {{1}}},
  };
}

/// Of random numbers, sequences, sparse tensors, bits.
Table others() {
  return {
      {"BatchMatrixBandPart", {{1, 2}}},
      {"BatchMatrixSolveLs", {{2}}},
      {"BlockLSTM", {{0}}},
      {"BlockLSTMGrad", {{0}}},
      {"BlockLSTMGradV2", {{0}}},
      {"BlockLSTMV2", {{0}}},
      {"MatrixBandPart", {{1, 2}}},
      {"MatrixDiagPartV2", {{1, 2}}},
      {"MatrixDiagPartV3", {{1, 2}}},
      {"MatrixDiagV2", {{1, 2, 3, 4}}},
      {"MatrixDiagV3", {{1, 2, 3, 4}}},
      {"MatrixSetDiagV2", {{2}}},
      {"MatrixSetDiagV3", {{2}}},
      {"MatrixSolveLs", {{2}}},
      {"QuantizeAndDequantizeV3", {{3}}},
      {"RandomStandardNormal", {{0}}},
      {"RandomUniform", {{0}}},
      {"RandomUniformInt", {{0, 1, 2}}},
      {"SparseReduceMax", {{2, 3}}},
      {"SparseReduceMaxSparse", {{2, 3}}},
      {"SparseReduceSum", {{2, 3}}},
      {"SparseReduceSumSparse", {{2, 3}}},
      {"SparseTensorDenseAdd", {{2}}},
      {"SparseTensorDenseMatMul", {{2}}},
      {"SparseToDense", {{1, 3}}},
      {"TruncatedNormal", {{0}}},
  };
}

const Table& table() {
  static const Table all = [] {
    auto joined = arrays();
    joined.merge(reductions());
    joined.merge(images());
    joined.merge(states());
    joined.merge(lists());
    joined.merge(others());
    return joined;
  }();
  return all;
}

}  // namespace

HostArguments host_arguments_of(std::string_view op) {
  auto found = table().find(op);
  return found == table().end() ? HostArguments() : found->second;
}

void declare_host_arguments(KernelCatalog& catalog) {
  for (const auto& [op, arguments] : table())
    if (catalog.contains(op)) catalog.on_host(op, arguments.inputs, arguments.outputs);
}

}  // namespace troupe
