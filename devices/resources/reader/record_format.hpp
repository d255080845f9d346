#pragma once

#include <memory>
#include <string>

#include "troupe/graph/graph.hpp"

namespace troupe {

/// How a reader finds records in a work unit, which is the name of a file. Not thread-safe.
class RecordFormat {
 public:
  enum class Read : uint8_t {
    record,        // there may be more
    keyed_record,  // as `record`; its key is known beyond the work unit
    only_record,   // the work unit is one record, whose key is its name
    end            // no record
  };

  virtual ~RecordFormat() = default;

  /// What its node declares, in words: "TextLineReader(skip_header_lines=1)".
  virtual const std::string& declaration() const = 0;
  /// Errors of files; then the work unit has not begun.
  virtual Status begin(const std::string& work_unit) = 0;
  /// Sets `value` to the next record of the work unit, and `key` to what tells it from its others.
  /// After an error the work unit goes on.
  virtual Result<Read> read(std::string& key, std::string& value) = 0;
  /// Closes the work unit.
  virtual void end() = 0;
  /// Whether a reader can be restored between two work units from what it has counted alone.
  virtual bool has_state() const { return false; }
};

/// The format that a node declares which makes a reader; InvalidArgument: its attributes.
Result<std::unique_ptr<RecordFormat>> make_record_format(const Node& handle);

}  // namespace troupe
