#include <algorithm>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/devices/files/matching_paths.hpp"
#include "troupe/graph/support/file.hpp"

namespace troupe::cpu {
namespace {

/// Strings are not counted by the device's allocator.
constexpr uint64_t file_bytes_max = uint64_t{4} << 30;

Status read_whole_file(Launch& launch) {
  auto name = scalar_string(launch, 0, "filename");
  if (!name) return name.status();
  auto reader = FileReader::open(*name);
  if (!reader) return reader.status();
  if (reader->size() > file_bytes_max)
    return resource_exhausted(
        shown(*name) + " has " + std::to_string(reader->size()) + " bytes, more than the " +
        std::to_string(file_bytes_max) + " that can be read at once");
  std::string contents(reader->size(), '\0');
  auto status = reader->read(0, contents.data(), contents.size());
  if (status.ok()) launch.set(0, Tensor::string(std::move(contents)));
  return status;
}

Status write_whole_file(Launch& launch) {
  auto name = scalar_string(launch, 0, "filename");
  if (!name) return name.status();
  auto contents = scalar_string(launch, 1, "contents");
  return contents ? write_file(*name, *contents) : contents.status();
}

Status find_matching_files(Launch& launch) {
  const auto& patterns = launch.input(0);
  if (patterns.shape().rank() > 1)
    return invalid_argument(
        "the patterns must be a scalar or vector, but are " + patterns.shape().to_string());
  std::vector<std::string> found;
  for (const auto& pattern : patterns.values<std::string>()) {
    auto paths = matching_paths(pattern);
    if (!paths) return paths.status();
    std::ranges::move(*paths, std::back_inserter(found));
  }
  std::ranges::sort(found);
  auto out = launch.allocate(DType::string, {std::ssize(found)});
  if (!out) return out.status();
  std::ranges::move(found, out->mutable_data<std::string>());
  launch.set(0, *std::move(out));
  return {};
}

template <Status (*compute)(Launch&)>
Result<Kernel> disk_kernel(const Node&) {
  constexpr int64_t disk_ns = 10'000'000;
  return Kernel{.compute = compute, .cost_ns = [](const Launch&) { return disk_ns; }};
}

}  // namespace

void add_files_kernels(KernelCatalog& catalog) {
  catalog.add("ReadFile", disk_kernel<read_whole_file>);
  catalog.add("WriteFile", disk_kernel<write_whole_file>);
  catalog.add("MatchingFiles", disk_kernel<find_matching_files>);
}

}  // namespace troupe::cpu
