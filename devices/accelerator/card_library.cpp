#include "troupe/devices/accelerator/card_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "troupe/devices/device.hpp"
#include "troupe/devices/op_library.hpp"
#include "troupe/graph/support/environment.hpp"

namespace troupe::accelerator {
namespace {

constexpr const char* file_name = "libtroupe_cuda.so";
/// Changed when a library has to be compiled anew for a reason that no size tells.
constexpr int abi_version = 2;

template <class Function>
Function* find_function(void* handle, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(handle, name));
}

/// Of the program or library that this code is in.
std::vector<std::string> own_places() {
  Dl_info own{};
  if (::dladdr(reinterpret_cast<void*>(&own_places), &own) == 0 || !own.dli_fname) return {};
  std::error_code error;
  auto file = std::filesystem::canonical(own.dli_fname, error);
  // The name of a program is what it was started by.
  if (error) file = std::filesystem::read_symlink("/proc/self/exe", error);
  auto folder = file.parent_path();
  return {folder / file_name, folder.parent_path() / "lib" / file_name};
}

bool is_there(const std::string& file) {
  std::error_code error;
  return std::filesystem::exists(file, error);
}

std::string joined(const std::vector<std::string>& files) {
  std::string text;
  for (const auto& file : files) text += (text.empty() ? "" : " or ") + file;
  return text;
}

Result<std::shared_ptr<const CardLibrary>> open_library(const std::string& path) {
  // It is never closed: its kernels may be in use as long as the process lives.
  auto* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return failed_precondition("cannot load " + path + ": " + ::dlerror());
  auto* read_abi = find_function<void(std::string&)>(handle, "troupe_card_library_abi");
  auto* define = find_function<void(CardLibrary&)>(handle, "troupe_card_library");
  if (!read_abi || !define) return failed_precondition(path + " is no library of cards");
  std::string abi;
  read_abi(abi);
  if (abi != card_library_abi())
    return failed_precondition(
        path + " is of another build: of '" + abi + "', and this is '" + card_library_abi() + "'");
  auto library = std::make_shared<CardLibrary>();
  define(*library);
  return std::shared_ptr<const CardLibrary>(std::move(library));
}

}  // namespace

std::string card_library_abi() {
  return "cards " + std::to_string(abi_version) + ", device " + std::to_string(sizeof(Device)) +
         ", facts " + std::to_string(sizeof(CardFacts)) + ", " + op_library_abi();
}

Result<std::shared_ptr<const CardLibrary>> load_cuda(const CudaPlaces& places) {
  if (auto given = variable(process_environment(), "TROUPE_CARD_LIBRARY"); !given.empty())
    return open_library(given);
  if (std::ranges::none_of(places.driver_files, is_there))
    return not_found("there is no NVIDIA driver: no " + joined(places.driver_files));
  auto libraries = places.libraries.empty() ? own_places() : places.libraries;
  auto found = std::ranges::find_if(libraries, is_there);
  if (found == libraries.end())
    return failed_precondition(
        "this Troupe was built without CUDA: there is no " + joined(libraries));
  return open_library(*found);
}

}  // namespace troupe::accelerator
