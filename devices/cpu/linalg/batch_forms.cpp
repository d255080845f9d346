#include "troupe/devices/cpu/all_kernels.hpp"

namespace troupe::cpu {

void add_batch_forms_kernels(KernelCatalog& catalog) {
  for (auto name :
       {"Cholesky", "CholeskyGrad", "MatrixBandPart", "MatrixDeterminant", "MatrixDiag",
        "MatrixDiagPart", "MatrixInverse", "MatrixSetDiag", "MatrixSolve", "MatrixSolveLs",
        "MatrixTriangularSolve", "SelfAdjointEig", "SelfAdjointEigV2", "Svd"})
    catalog.add(std::string("Batch") + name, catalog.find(name));
}

}  // namespace troupe::cpu
