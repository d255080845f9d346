#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// A part of add_dataset_records_kernels(): the records of CSV files.
void add_csv_records_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
