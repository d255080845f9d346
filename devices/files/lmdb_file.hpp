#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "troupe/graph/support/file.hpp"

namespace troupe {

// A file of LMDB is a tree of pages, all of one size that its first page says. The first two pages
// are descriptions of the tree, the later of which counts. A page begins with
//
//     uint64    its number
//     uint16    0
//     uint16    flags: 1 a branch, 2 a leaf, 4 the first page of a value that fills pages
//     uint16    where its list of entries ends, which begins at 16: an offset of each
//     uint16    where free space ends
//
// and an entry is
//
//     uint32    of a leaf: the size of the value; of a branch: the lower bits of a page's number
//     uint16    of a leaf: flags, 1 the value is the number of a page; of a branch: higher bits
//     uint16    the size of the key
//     bytes     the key, and of a leaf the value
//
// in the byte order of the machine that wrote it, which must be little-endian.

/// Reads the entries of the main database of a file in the order of their keys. Never maps it into
/// memory: a damaged file, or one that is cut meanwhile, is an error. Not thread-safe.
class LmdbFile {
 public:
  /// `path`: the file, or a folder with a file data.mdb. InvalidArgument: it is none of LMDB, or
  /// one whose keys have several values. Errors of files.
  static Result<LmdbFile> open(const std::filesystem::path& path);

  /// Sets both to the next entry; false at the end. DataLoss names the file.
  Result<bool> read(std::string& key, std::string& value);

 private:
  /// A page on the way from the root to the entry, and the one of its entries that is next.
  struct Position {
    std::string page;
    size_t next = 0;
  };

  explicit LmdbFile(FileReader file) : file_(std::move(file)) {}

  Status read_descriptions();
  Status descend(uint64_t page);
  Status read_leaf(std::string& key, std::string& value);
  Status damaged() const;

  FileReader file_;
  uint64_t page_bytes_ = 0;
  bool has_begun_ = false;
  uint64_t root_ = 0;
  std::vector<Position> path_;
};

}  // namespace troupe
