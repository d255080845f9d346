#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The op under an older name and of its dtypes, without a gradient, as in TensorFlow: from the
/// time when there were ops of one matrix, and others of batches of them.
Op batch_form(const OpCatalog& catalog, const std::string& name, const DTypes& dtypes) {
  auto found = catalog.find(name);
  CHECK(found.ok());
  const auto& op = **found;
  Op form("Batch" + name);
  std::move(form).doc(name + " under an older name. " + op.doc());
  for (const auto& input : op.inputs())
    if (input.dtype_attr.empty()) std::move(form).input(input.name, input.dtype);
    else if (input.dtype_attr == "Tindex") std::move(form).input(input.name, DType::int64);
    else std::move(form).input(input.name, input.dtype_attr);
  for (const auto& output : op.outputs()) std::move(form).output(output.name, output.dtype_attr);
  for (const auto& attr : op.attrs())
    if (attr.fallback && attr.type != AttrType::dtype)
      std::move(form).attr(attr.name, *attr.fallback);
  return std::move(form).attr("T", dtypes).infer_shape(op.infer_shape());
}

}  // namespace

void add_batch_forms_ops(OpCatalog& catalog) {
  const DTypes real = {DType::float32, DType::float64};
  const DTypes all = {DType::float32, DType::float64, DType::complex64, DType::complex128};
  for (auto name :
       {"Cholesky", "CholeskyGrad", "MatrixInverse", "MatrixSolve", "MatrixSolveLs",
        "MatrixTriangularSolve", "SelfAdjointEig", "SelfAdjointEigV2"})
    catalog.add(batch_form(catalog, name, real));
  for (auto name : {"MatrixDeterminant", "Svd"}) catalog.add(batch_form(catalog, name, all));
  for (auto name : {"MatrixBandPart", "MatrixDiag", "MatrixDiagPart", "MatrixSetDiag"})
    catalog.add(batch_form(catalog, name, all_plain()));
}

}  // namespace troupe
