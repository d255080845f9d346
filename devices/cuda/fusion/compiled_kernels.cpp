#include "troupe/devices/cuda/fusion/compiled_kernels.hpp"

#include <farmhash.h>
#include <nvrtc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "troupe/graph/support/environment.hpp"

namespace troupe::cuda {
namespace {

/// A function of the driver's library, which a program without a card may lack: it is asked for
/// when it is needed.
template <class F>
Result<F> driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
  auto error = cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result);
#else
  auto error = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result);
#endif
  if (error != cudaSuccess || result != cudaDriverEntryPointSuccess || !found)
    return internal(std::string("the driver has no function ") + name);
  return reinterpret_cast<F>(found);
}

using ModuleLoadData = CUresult (*)(CUmodule*, const void*);
using ModuleGetFunction = CUresult (*)(CUfunction*, CUmodule, const char*);
using ModuleUnload = CUresult (*)(CUmodule);
using LaunchKernel = CUresult (*)(
    CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
    void**, void**);

Status status_of(nvrtcResult result, const std::string& log) {
  if (result == NVRTC_SUCCESS) return {};
  return internal(
      std::string("NVRTC could not compile a kernel: ") + nvrtcGetErrorString(result) +
      (log.empty() ? "" : "\n" + log));
}

/// A program of NVRTC, which ends with this object.
struct Program {
  nvrtcProgram program = nullptr;

  ~Program() {
    if (program) nvrtcDestroyProgram(&program);
  }
  std::string log() const {
    size_t size = 0;
    if (nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size <= 1) return {};
    std::string text(size, '\0');
    if (nvrtcGetProgramLog(program, text.data()) != NVRTC_SUCCESS) return {};
    return text;
  }
};

/// The capability, or the last one before it that the compiler knows.
int known_capability(int capability) {
  int count = 0;
  if (nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count == 0) return capability;
  std::vector<int> known(static_cast<size_t>(count));
  if (nvrtcGetSupportedArchs(known.data()) != NVRTC_SUCCESS) return capability;
  std::erase_if(known, [&](int each) { return each > capability; });
  return known.empty() ? capability : std::ranges::max(known);
}

std::filesystem::path file_of(const std::string& source, int capability) {
  auto folder = kernel_cache_folder();
  if (folder.empty()) return {};
  int major = 0, minor = 0;
  nvrtcVersion(&major, &minor);
  std::ostringstream all;
  all << "sm_" << capability << " nvrtc " << major << "." << minor << "\n" << source;
  for (auto [name, text] : kernel_headers()) all << name << text;
  auto hash = util::Fingerprint128(all.str());
  std::ostringstream name;
  name << std::hex << util::Uint128High64(hash) << "-" << util::Uint128Low64(hash) << ".cubin";
  return std::filesystem::path(folder) / name.str();
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

/// Under its name at once, or not at all: others may write and read the same file. A cache that
/// cannot be written is none.
void write_file(const std::filesystem::path& path, const std::string& text) {
  std::error_code failed;
  std::filesystem::create_directories(path.parent_path(), failed);
  static std::atomic<uint64_t> number{0};  // two cards of a process may compile the same source
  auto fresh = path;
  fresh += "." + std::to_string(getpid()) + "." + std::to_string(++number);
  std::ofstream file(fresh, std::ios::binary);
  file << text;
  file.close();
  if (file) std::filesystem::rename(fresh, path, failed);
  if (!file || failed) std::filesystem::remove(fresh, failed);
}

}  // namespace

Result<std::string> compile_kernels(const std::string& source, int capability) {
  std::vector<const char*> names, texts;
  for (auto [name, text] : kernel_headers()) {
    names.push_back(name.data());
    texts.push_back(text.data());
  }
  Program made;
  auto result = nvrtcCreateProgram(
      &made.program, source.c_str(), "fused.cu", static_cast<int>(names.size()), texts.data(),
      names.data());
  if (auto status = status_of(result, ""); !status.ok()) return status;
  auto known = known_capability(capability);
  auto is_known = known == capability;
  auto architecture =
      std::string("--gpu-architecture=") + (is_known ? "sm_" : "compute_") + std::to_string(known);
  // Products and sums are rounded apart, as they are in kernels of one op each.
  const auto options = std::to_array<const char*>(
      {architecture.c_str(), "--std=c++20", "--device-as-default-execution-space", "--fmad=false"});
  result = nvrtcCompileProgram(made.program, static_cast<int>(options.size()), options.data());
  if (auto status = status_of(result, made.log()); !status.ok()) return status;
  size_t size = 0;
  result = (is_known ? nvrtcGetCUBINSize : nvrtcGetPTXSize)(made.program, &size);
  std::string code(size, '\0');
  if (result == NVRTC_SUCCESS)
    result = (is_known ? nvrtcGetCUBIN : nvrtcGetPTX)(made.program, code.data());
  if (auto status = status_of(result, ""); !status.ok()) return status;
  return code;
}

std::string kernel_cache_folder() {
  auto environment = process_environment();
  if (auto given = variable(environment, "TROUPE_KERNEL_CACHE"); !given.empty()) return given;
  if (auto caches = variable(environment, "XDG_CACHE_HOME"); !caches.empty())
    return caches + "/troupe/kernels";
  auto home = variable(environment, "HOME");
  return home.empty() ? "" : home + "/.cache/troupe/kernels";
}

CompiledKernels::CompiledKernels(const Card& card) : capability_(card.capability) {}

CompiledKernels::~CompiledKernels() {
  auto unload = driver_function<ModuleUnload>("cuModuleUnload");
  for (const auto& [source, loaded] : kernels_)
    if (unload && loaded) (*unload)(loaded->module);
}

Result<std::string> CompiledKernels::machine_code(const std::string& source) const {
  auto path = file_of(source, capability_);
  if (!path.empty())
    if (auto code = read_file(path); !code.empty()) return code;
  auto code = compile_kernels(source, capability_);
  if (code && !path.empty()) write_file(path, *code);
  return code;
}

Result<CUfunction> CompiledKernels::find(const std::string& source, const char* name) {
  return find_or(source, [&] { return load(source, name); });
}

Result<CompiledKernels::Loaded> CompiledKernels::load(
    const std::string& source, const char* name) const {
  auto load = driver_function<ModuleLoadData>("cuModuleLoadData");
  auto get = driver_function<ModuleGetFunction>("cuModuleGetFunction");
  if (!load) return load.status();
  if (!get) return get.status();
  auto code = machine_code(source);
  if (!code) return code.status();
  Loaded loaded{};
  auto error = (*load)(&loaded.module, code->c_str());
  if (error != CUDA_SUCCESS && !file_of(source, capability_).empty()) {
    // A file that is damaged is made again.
    code = compile_kernels(source, capability_);
    if (!code) return code.status();
    write_file(file_of(source, capability_), *code);
    error = (*load)(&loaded.module, code->c_str());
  }
  if (error == CUDA_SUCCESS) error = (*get)(&loaded.kernel, loaded.module, name);
  if (error != CUDA_SUCCESS)
    return internal("a compiled kernel cannot be loaded: CUDA error " + std::to_string(error));
  return loaded;
}

Status CompiledKernels::start(
    CUfunction kernel, unsigned blocks, dim3 threads, CUstream stream, void** parameters) {
  static const auto launch = driver_function<LaunchKernel>("cuLaunchKernel");
  if (!launch) return launch.status();
  auto error = (*launch)(
      kernel, blocks, 1, 1, threads.x, threads.y, threads.z, 0, stream, parameters, nullptr);
  if (error == CUDA_SUCCESS) return {};
  return internal("a compiled kernel cannot be started: CUDA error " + std::to_string(error));
}

}  // namespace troupe::cuda
