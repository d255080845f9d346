#include "troupe/devices/accelerator/vendor_library.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace troupe::accelerator {
namespace {

/// The folders where the loader looks for what this code loads: those that its own program or
/// library names, those of the environment, and the system's.
std::vector<std::string> searched_folders() {
  Dl_info own{};
  void* handle = nullptr;
  if (::dladdr(reinterpret_cast<void*>(&searched_folders), &own) != 0 && own.dli_fname)
    handle = ::dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) handle = ::dlopen(nullptr, RTLD_LAZY);  // the program
  Dl_serinfo size{};
  if (!handle || ::dlinfo(handle, RTLD_DI_SERINFOSIZE, &size) != 0) return {};
  std::vector<std::max_align_t> memory(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* found = reinterpret_cast<Dl_serinfo*>(memory.data());
  found->dls_size = size.dls_size;
  found->dls_cnt = size.dls_cnt;
  if (::dlinfo(handle, RTLD_DI_SERINFO, found) != 0) return {};
  std::vector<std::string> folders;
  for (unsigned i = 0; i < found->dls_cnt; ++i)
    folders.emplace_back(found->dls_serpath[i].dls_name);
  return folders;
}

/// The paths of all other libraries that the loader finds lie in this file, each with a 0 behind
/// it.
bool is_in_loader_cache(const std::string& file) {
  std::ifstream cache("/etc/ld.so.cache", std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(cache), {});
  return text.find("/" + file + '\0') != text.npos;
}

}  // namespace

Status check_installed(const std::string& file) {
  std::error_code ignored;
  for (const auto& folder : searched_folders())
    if (std::filesystem::exists(std::filesystem::path(folder) / file, ignored)) return {};
  if (is_in_loader_cache(file)) return {};
  return unimplemented("there is no " + file + " where libraries are looked for");
}

Result<void*> load_library(const std::string& file) {
  auto* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  return library ? Result<void*>(library)
                 : failed_precondition("cannot load " + file + ": " + ::dlerror());
}

}  // namespace troupe::accelerator
