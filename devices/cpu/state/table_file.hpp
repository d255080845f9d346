#pragma once

#include <cstdint>
#include <string>

#include "troupe/devices/resources/hash_table.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe::cpu {

/// Where the lines of a text file have the keys and values of a table.
struct TableColumns {
  // What stands for a line's number, from 0, and for all of the line.
  static constexpr int64_t line_number = -1, whole_line = -2;

  int64_t key_index = 0;
  int64_t value_index = 0;
  int64_t vocab_size = -1;  // how many lines count; -1: all
  char delimiter = '\t';
};

/// The entries that a file has for a table. InvalidArgument names the line that has none, or says
/// why the table cannot have such keys or values.
Result<HashTableResource::Entries> read_table_file(
    const std::string& filename, const TableColumns& columns, const HashTableResource& table);

}  // namespace troupe::cpu
