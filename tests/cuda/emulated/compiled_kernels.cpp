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

/// A kernel with its parameters.
using Bound = std::function<void()>;

/// What a compiled kernel asks the program that it is loaded into: the libraries have no symbols in
/// common.
struct Host {
  void (*read_place)(dim3 (&place)[4]);  // sizes of grid and block, indices of both
  int (*wait_for_block)(int flag);
  void (*wait_for_warp)();
  void (*leave_value)(const void* value, size_t bytes);
  void (*read_value)(int lane, void* value, size_t bytes);
  int (*current_lane)();
};

struct CompiledKernel {
  /// Copies the parameters.
  void (*bind)(const Host& host, void** parameters, Bound& bound);
};

namespace {

constexpr auto before = R"text(
#include <cuda_runtime.h>

#include <functional>
#include <tuple>
#include <utility>

constinit thread_local dim3 gridDim, blockDim, blockIdx, threadIdx;

namespace troupe::emulated {

struct Host {
  void (*read_place)(dim3 (&place)[4]);
  int (*wait_for_block)(int flag);
  void (*wait_for_warp)();
  void (*leave_value)(const void* value, size_t bytes);
  void (*read_value)(int lane, void* value, size_t bytes);
  int (*current_lane)();
};
static Host host;

/// Of the thread that runs, which is another one after each wait.
static void find_place() {
  dim3 place[4];
  host.read_place(place);
  gridDim = place[0];
  blockDim = place[1];
  blockIdx = place[2];
  threadIdx = place[3];
}

int wait_for_block(int flag) {
  auto joined = host.wait_for_block(flag);
  find_place();
  return joined;
}
void wait_for_warp() {
  host.wait_for_warp();
  find_place();
}
void leave_value(const void* value, size_t bytes) { host.leave_value(value, bytes); }
void read_value(int lane, void* value, size_t bytes) { host.read_value(lane, value, bytes); }
int current_lane() { return host.current_lane(); }

}  // namespace troupe::emulated
)text";

constexpr auto behind = R"text(
using Bound = std::function<void()>;
template <class... P, size_t... I>
void keep(void (*kernel)(P...), void** parameters, Bound& bound, std::index_sequence<I...>) {
  std::tuple<P...> kept(*static_cast<P*>(parameters[I])...);
  bound = [kernel, kept] {
    troupe::emulated::find_place();
    std::apply(kernel, kept);
  };
}
template <class... P>
void keep_all(void (*kernel)(P...), void** parameters, Bound& bound) {
  keep(kernel, parameters, bound, std::index_sequence_for<P...>());
}
extern "C" __attribute__((visibility("default"))) void bind_kernel(
    const troupe::emulated::Host& host, void** parameters, Bound& bound) {
  troupe::emulated::host = host;
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
                 " -std=c++20 -O1 -ffp-contract=off -fPIC -fvisibility=hidden -shared -w "
                 "-I" TROUPE_EMULATED_HEADERS
                 "/troupe/tests/cuda/emulated/include -I" TROUPE_EMULATED_HEADERS " -o '" +
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
  for (const auto& [source, loaded] : kernels_)
    if (loaded) delete loaded->kernel;
}

Result<CUfunction> CompiledKernels::find(const std::string& source, const char* name) {
  return find_or(source, [&] { return load(source, name); });
}

Result<CompiledKernels::Loaded> CompiledKernels::load(
    const std::string& source, const char* name) const {
  if (std::getenv("TROUPE_EMULATED_NO_COMPILER")) return internal("there is no compiler");
  auto text = before + source + "#define KERNEL troupe::cuda::" + name + "\n" + behind;
  auto library = make_library(text);
  if (!library) return library.status();
  auto* bind = ::dlsym(*library, "bind_kernel");
  if (!bind) return internal("a compiled kernel cannot be loaded");
  auto* kernel = new CompiledKernel{reinterpret_cast<decltype(CompiledKernel::bind)>(bind)};
  return Loaded{*library, kernel};
}

Status CompiledKernels::start(
    CUfunction kernel, unsigned blocks, dim3 threads, CUstream stream, void** parameters) {
  const Host host{
      .read_place =
          [](dim3(&place)[4]) {
            place[0] = gridDim;
            place[1] = blockDim;
            place[2] = blockIdx;
            place[3] = threadIdx;
          },
      .wait_for_block = wait_for_block,
      .wait_for_warp = wait_for_warp,
      .leave_value = leave_value,
      .read_value = read_value,
      .current_lane = current_lane};
  Bound bound;
  kernel->bind(host, parameters, bound);
  cudaLaunchConfig_t config{.gridDim = blocks, .blockDim = threads, .stream = stream};
  auto error = launch(config, bound);
  return to_status(error, "a compiled kernel");
}

}  // namespace troupe::cuda
