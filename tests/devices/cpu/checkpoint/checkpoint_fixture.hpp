#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "troupe/graph/support/file.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"
#include "troupe/tests/temporary_folder.hpp"

namespace troupe::testing {

namespace fs = std::filesystem;

inline Tensor strings(std::vector<std::string> values) {
  auto count = static_cast<int64_t>(values.size());
  return Tensor::of<std::string>({count}, std::span<const std::string>(values));
}

inline std::string read(const fs::path& path) {
  auto text = read_file(path);
  BOOST_TEST_REQUIRE(text.ok(), text.status().to_string());
  return *text;
}

inline void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Checkpoints in a folder of the test's own, by the ops alone; what they answer as text.
struct CheckpointFixture {
  TemporaryFolder folder;
  std::string prefix = folder / "model-7";
  std::string file = prefix + ".data-00000-of-00001";
  std::string index = prefix + ".index";

  std::string save(
      const std::string& to, std::vector<std::string> names, Tensors tensors,
      std::vector<std::string> slices = {}) {
    slices.resize(names.size());
    tensors.insert(tensors.begin(), {Tensor::string(to), strings(names), strings(slices)});
    return show("SaveV2", tensors);
  }
  std::string restore(
      const std::string& from, std::vector<std::string> names, DTypes dtypes = {DType::float32},
      std::vector<std::string> slices = {}) {
    slices.resize(names.size());
    return show(
        "RestoreV2", {Tensor::string(from), strings(names), strings(slices)}, {{"dtypes", dtypes}});
  }
  std::string merge(std::vector<std::string> parts, const Attrs& attrs = {}) {
    return show("MergeV2Checkpoints", {strings(std::move(parts)), Tensor::string(prefix)}, attrs);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
      names.push_back(fs::relative(entry.path(), folder.path()).string());
    std::ranges::sort(names);
    return names;
  }
};

}  // namespace troupe::testing
