#include "troupe/devices/op_library.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "troupe/graph/ops/loaded_ops.hpp"

namespace troupe {
namespace {

/// Changed when a library has to be compiled anew for a reason that no size below tells.
constexpr int abi_version = 1;

struct LoadedLibraries {
  std::mutex mutex;
  std::map<void*, OpLibrary> by_handle;  // the system gives one file the same handle again
  KernelCatalog kernels;
};

LoadedLibraries& loaded() {
  static LoadedLibraries all;
  return all;
}

template <class Function>
Function* find_function(void* handle, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(handle, name));
}

Status check_abi(void* handle, const std::string& path) {
  auto* read_abi = find_function<void(std::string&)>(handle, "troupe_op_library_abi");
  if (!read_abi)
    return invalid_argument(path + " is no library of ops: it has no TROUPE_OP_LIBRARY");
  std::string abi;
  read_abi(abi);
  if (abi == op_library_abi()) return {};
  return failed_precondition(
      path + " was built for another version of Troupe: for '" + abi + "', and this is '" +
      op_library_abi() + "'; build it again");
}

/// Takes the library's ops and kernels; on an error none of them.
Result<OpLibrary> add_library(LoadedLibraries& all, void* handle, const std::string& path) {
  if (auto status = check_abi(handle, path); !status.ok()) return status;
  auto* define = find_function<void(OpCatalog&, KernelCatalog&)>(handle, "troupe_op_library");
  if (!define) return invalid_argument(path + " is no library of ops: it defines none");
  OpCatalog ops;
  ops.begin_family(std::filesystem::path(path).filename().string());
  KernelCatalog kernels;
  define(ops, kernels);
  for (const auto& name : kernels.ops())
    if (!ops.all().contains(name))
      return invalid_argument(
          path + " has a kernel of op '" + name + "', which it does not define");
  if (auto status = loaded_ops::add(ops); !status.ok())
    return Status(status.code(), path + " cannot be loaded: " + status.message());
  all.kernels.add_all(kernels);
  OpLibrary library{.path = path, .ops = {}};
  for (const auto& [name, op] : ops.all()) library.ops.push_back(name);
  return library;
}

}  // namespace

std::string op_library_abi() {
  return "ops " + std::to_string(abi_version) + ", compiler " __VERSION__ ", sizes " +
         std::to_string(sizeof(Op)) + " " + std::to_string(sizeof(Node)) + " " +
         std::to_string(sizeof(Kernel)) + " " + std::to_string(sizeof(Launch)) + " " +
         std::to_string(sizeof(Tensor)) + " " + std::to_string(sizeof(ShapeInference));
}

Result<OpLibrary> load_op_library(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return not_found("there is no file " + path);
  // A path without a slash would be looked for among the system's libraries.
  auto absolute = std::filesystem::absolute(path, error).string();
  auto& all = loaded();
  std::unique_lock lock(all.mutex);
  auto* handle = ::dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return invalid_argument("cannot load " + path + ": " + ::dlerror());
  if (auto found = all.by_handle.find(handle); found != all.by_handle.end()) return found->second;
  auto library = add_library(all, handle, path);
  // It stays loaded as long as its ops, so for ever; one that gave none is closed.
  if (library) all.by_handle.emplace(handle, *library);
  else ::dlclose(handle);
  return library;
}

Status loaded_kernels::add(const KernelCatalog& kernels) {
  auto& all = loaded();
  std::unique_lock lock(all.mutex);
  for (const auto& op : kernels.ops())
    if (all.kernels.contains(op))
      return Status(Code::already_exists, "there is a kernel of op '" + op + "' already");
  all.kernels.add_all(kernels);
  return {};
}

KernelCatalog::Make loaded_kernels::find(std::string_view op) {
  auto& all = loaded();
  std::unique_lock lock(all.mutex);
  return all.kernels.find(op);
}

std::vector<std::string> loaded_kernels::with_loaded(const KernelCatalog& catalog) {
  auto& all = loaded();
  std::vector<std::string> loaded_ops;
  {
    std::unique_lock lock(all.mutex);
    loaded_ops = all.kernels.ops();
  }
  auto ops = catalog.ops();
  for (auto& op : loaded_ops)
    if (catalog.contains(op)) ops.push_back(std::move(op));
  return ops;
}

}  // namespace troupe
