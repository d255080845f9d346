#pragma once

#include <string>
#include <vector>

#include "troupe/devices/kernel.hpp"
#include "troupe/graph/op.hpp"

namespace troupe {

/// The ops of a library that a process has loaded.
struct OpLibrary {
  std::string path;
  std::vector<std::string> ops;
};

/// Loads a shared library that defines its ops by TROUPE_OP_LIBRARY. They are then in all catalogs
/// of the process, and the kernels in all its CPU devices, those made earlier, too; but a cluster
/// only knows of those that were loaded before its task began. A library that
/// is loaded again, also by another path, adds nothing. NotFound without such a file;
/// InvalidArgument for a file that is no such library; FailedPrecondition for one that was built
/// with another version or compiler than this process; AlreadyExists where an op has the name of
/// another, and then the library adds none. Thread-safe.
///
/// The library's code runs with all rights of the process, so only the operator of a node decides
/// what it loads.
Result<OpLibrary> load_op_library(const std::string& path);

/// The kernels of all libraries loaded so far, and those that only this program has. Thread-safe.
namespace loaded_kernels {
/// Adds kernels of ops that all catalogs have, but no device by itself: those that call functions
/// of the program. AlreadyExists, naming the op, where one was added before; then none is added.
Status add(const KernelCatalog& kernels);
/// Unset where there is none.
KernelCatalog::Make find(std::string_view op);
/// The ops that a catalog has, those of libraries too where it falls back on them.
std::vector<std::string> with_loaded(const KernelCatalog& catalog);
}  // namespace loaded_kernels

/// What has to be the same in a library and in the process that loads it.
std::string op_library_abi();

/// Defines the function that a library of ops exports, once in each library:
///
///     TROUPE_OP_LIBRARY(ops, kernels) {
///       ops.add(troupe::Op("ZeroOut").input("to_zero", troupe::DType::int32) ...);
///       kernels.add_compute("ZeroOut", zero_out);
///     }
///
/// Such a library links Troupe::devices. `apps/examples/op_library.cpp` is one.
#define TROUPE_OP_LIBRARY(ops, kernels)                                                       \
  extern "C" void troupe_op_library_abi(std::string& abi) { abi = troupe::op_library_abi(); } \
  extern "C" void troupe_op_library(troupe::OpCatalog& ops, troupe::KernelCatalog& kernels)

}  // namespace troupe
