#pragma once

#include <string>

#include "troupe/graph/proto/bundle_messages.hpp"
#include "troupe/graph/support/file.hpp"
#include "troupe/graph/types/allocator.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::cpu {

/// The tensors of a checkpoint in one file, one after another, as their elements lie in memory;
/// strings as all lengths, their checksum, and all characters.
class BundleData {
 public:
  static Result<BundleData> create(const std::filesystem::path& path);

  /// Writes a tensor, and returns what the index says of it. Unimplemented for handles and
  /// variants.
  Result<BundleEntry> append(const Tensor& tensor);
  /// Writes what is buffered; the file is complete, and not committed.
  Status finish();
  Status commit() { return file_.commit(); }

 private:
  explicit BundleData(FileWriter file) : file_(std::move(file)) {}
  Status write(std::string_view bytes);

  FileWriter file_;
  std::string unwritten_;
  int64_t size_ = 0;
};

/// Reads the tensor of an entry. DataLoss says the name, the file and where in it the damage is.
Result<Tensor> read_bundle_value(
    const FileReader& file, const std::string& name, const BundleEntry& entry,
    Allocator& allocator);

}  // namespace troupe::cpu
