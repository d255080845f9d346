// Kernels that are compiled where the program runs, for emulated cards: by the host's compiler, and
// not by NVRTC. The headers that sources include are those of the tree.
#include "troupe/devices/cuda/fusion/compiled_kernels.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "troupe/tests/cuda/emulated/blocks.hpp"

namespace troupe::emulated {

/// A kernel with its parameters, as a thread of that place runs it: the sizes of grid and block,
/// and the indices of both.
using Bound = std::function<void(const dim3 (&place)[4])>;

struct CompiledKernel {
  /// Copies the parameters.
  void (*bind)(void** parameters, Bound& bound);
};

namespace {

constexpr auto before = R"text(
#include <functional>
#include <tuple>
#include <utility>
#define __global__
#define __device__
struct dim3 {
  unsigned x, y, z;
};
static thread_local dim3 gridDim, blockDim, blockIdx, threadIdx;
)text";

constexpr auto behind = R"text(
using Bound = std::function<void(const dim3 (&place)[4])>;
template <class... P, size_t... I>
void keep(void (*kernel)(P...), void** parameters, Bound& bound, std::index_sequence<I...>) {
  std::tuple<P...> kept(*static_cast<P*>(parameters[I])...);
  bound = [kernel, kept](const dim3 (&place)[4]) {
    gridDim = place[0];
    blockDim = place[1];
    blockIdx = place[2];
    threadIdx = place[3];
    std::apply(kernel, kept);
  };
}
template <class... P>
void keep_all(void (*kernel)(P...), void** parameters, Bound& bound) {
  keep(kernel, parameters, bound, std::index_sequence_for<P...>());
}
extern "C" void bind_kernel(void** parameters, Bound& bound) {
  keep_all(KERNEL, parameters, bound);
}
)text";

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Makes a shared library of the source. Products and sums are rounded apart, as on cards.
Status compile(const std::string& text, const std::string& library) {
  std::ofstream(library + ".cpp") << text;
  auto command = std::string(TROUPE_EMULATED_COMPILER) +
                 " -std=c++20 -O1 -ffp-contract=off -fPIC -shared -w -I" TROUPE_EMULATED_HEADERS
                 " -o '" +
                 library + "' '" + library + ".cpp' > '" + library + ".log' 2>&1";
  if (std::system(command.c_str()) == 0) return {};
  return internal("a kernel could not be compiled:\n" + read_file(library + ".log"));
}

Result<void*> make_library(const std::string& text) {
  auto folder = (std::filesystem::temp_directory_path() / "troupe_kernels_XXXXXX").string();
  if (!::mkdtemp(folder.data())) return internal("no folder for kernels can be made");
  auto library = folder + "/kernel.so";
  auto status = compile(text, library);
  // It stays where it is mapped.
  auto* handle = status.ok() ? ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!status.ok()) return status;
  if (!handle) return internal(std::string("a compiled kernel cannot be loaded: ") + ::dlerror());
  return handle;
}

}  // namespace
}  // namespace troupe::emulated

namespace troupe::cuda {

using namespace emulated;

CompiledKernels::CompiledKernels(const Card& card) : capability_(card.capability) {}

CompiledKernels::~CompiledKernels() {
  for (const auto& [source, kernel] : kernels_) delete kernel.second;
}

Result<CUfunction> CompiledKernels::find(const std::string& source, const char* name) {
  std::lock_guard lock(mutex_);
  if (auto found = kernels_.find(source); found != kernels_.end()) return found->second.second;
  if (auto status = check_room(); !status.ok()) return status;
  auto text = before + source + "#define KERNEL troupe::cuda::" + name + "\n" + behind;
  auto library = make_library(text);
  if (!library) return library.status();
  auto* bind = ::dlsym(*library, "bind_kernel");
  if (!bind) return internal("a compiled kernel cannot be loaded");
  auto* kernel = new CompiledKernel{reinterpret_cast<void (*)(void**, Bound&)>(bind)};
  kernels_.emplace(source, std::pair(*library, kernel));
  return kernel;
}

Status CompiledKernels::start(
    CUfunction kernel, unsigned blocks, unsigned threads, CUstream stream, void** parameters) {
  Bound bound;
  kernel->bind(parameters, bound);
  cudaLaunchConfig_t config{.gridDim = blocks, .blockDim = threads, .stream = stream};
  auto error = launch(config, [bound] { bound({gridDim, blockDim, blockIdx, threadIdx}); });
  return to_status(error, "a compiled kernel");
}

}  // namespace troupe::cuda
