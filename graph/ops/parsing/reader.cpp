#include <string>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/handle.hpp"

namespace troupe {
namespace {

// -- the two forms of each op: of references, and of handles

Op with_reader_output(const std::string& name, bool is_reference) {
  if (is_reference) return Op(name).ref_output("reader_handle", DType::string);
  return Op(name + "V2").output("reader_handle", DType::resource);
}

Op with_reader_input(const std::string& name, bool is_reference) {
  if (is_reference) return Op(name).ref_input("reader_handle", DType::string);
  return Op(name + "V2").input("reader_handle", DType::resource);
}

Op with_reader_and_queue(const std::string& name, bool is_reference) {
  auto op = with_reader_input(name, is_reference);
  if (is_reference) return std::move(op).ref_input("queue_handle", DType::string);
  return std::move(op).input("queue_handle", DType::resource);
}

/// A handle is a scalar of dtype resource, or a reference to a vector of two strings.
Status need_reader_handle(const ShapeInference& s, int input = 0) {
  return s.need_rank(input, s.input_dtype(input) == DType::resource ? 0 : 1);
}

Op as_reader(Op op, bool is_reference) {
  return std::move(op)
      .attr("container", "")
      .attr("shared_name", "")
      .infer_shape([is_reference](ShapeInference& s) {
        s.set(0, is_reference ? Shape{2} : Shape());
        return check_container(s.attr<std::string>("container"));
      })
      .resource_handle();
}

Op with_fixed_lengths(bool is_reference) {
  auto op = with_reader_output("FixedLengthRecordReader", is_reference)
                .attr("header_bytes", 0)
                .attr("record_bytes", AttrType::integer)
                .attr("footer_bytes", 0)
                .attr("hop_bytes", 0);
  if (is_reference) return op;
  return std::move(op).attr("encoding", "");
}

void add_readers(OpCatalog& catalog, bool is_reference) {
  auto add = [&](Op op, const std::string& doc) {
    auto named = doc + " The reader is `shared_name` in `container`; without a name only the "
                       "session can use it.";
    catalog.add(as_reader(std::move(op).doc(named), is_reference));
  };
  add(with_reader_output("WholeFileReader", is_reference),
      "A reader whose records are files. Keys are their names.");
  add(with_reader_output("TextLineReader", is_reference).attr("skip_header_lines", 0),
      "A reader whose records are the lines of files, but for the first ones. Keys are file:line.");
  add(with_fixed_lengths(is_reference),
      "A reader whose records are all of one length, one each `hop_bytes` (0: record_bytes), "
      "between header and footer of the files. Keys are file:number.");
  add(with_reader_output("TFRecordReader", is_reference).attr("compression_type", ""),
      "A reader of record files. Keys are file:offset.");
  add(with_reader_output("IdentityReader", is_reference),
      "A reader whose records are the names of its work units themselves.");
  if (is_reference)
    add(with_reader_output("LMDBReader", is_reference),
        "A reader of the values of LMDB files, in the order of their keys, which the records "
        "have.");
}

void add_reads(OpCatalog& catalog, bool is_reference) {
  catalog.add(with_reader_and_queue("ReaderRead", is_reference)
      .doc("The next record. The queue gives the next work unit (a file) when one is finished.")
      .output("key", DType::string)
      .output("value", DType::string)
      .infer_shape([](ShapeInference& s) {
        for (int i : {0, 1}) {
          if (auto status = need_reader_handle(s, i); !status.ok()) return status;
          s.set(i, Shape());
        }
        return Status();
      })
      .stateful());
  catalog.add(with_reader_and_queue("ReaderReadUpTo", is_reference)
      .doc("The next records of one work unit, at most num_records.")
      .input("num_records", DType::int64)
      .output("keys", DType::string)
      .output("values", DType::string)
      .infer_shape([](ShapeInference& s) {
        for (int i : {0, 1}) {
          if (auto status = need_reader_handle(s, i); !status.ok()) return status;
          s.set(i, {Shape::unknown});
        }
        return s.need_rank(2, 0);
      })
      .stateful());
}

void add_counts(OpCatalog& catalog, bool is_reference) {
  auto add = [&](const char* name, const char* output, DType dtype, const char* doc) {
    catalog.add(with_reader_input(name, is_reference)
        .doc(doc)
        .output(output, dtype)
        .infer_shape([](ShapeInference& s) {
          s.set(0, Shape());
          return need_reader_handle(s);
        })
        .stateful());
  };
  add("ReaderNumRecordsProduced", "records_produced", DType::int64,
      "How many records the reader has given.");
  add("ReaderNumWorkUnitsCompleted", "units_completed", DType::int64,
      "How many work units the reader has finished.");
  add("ReaderSerializeState", "state", DType::string,
      "What a reader of whole files or of work units has counted, for ReaderRestoreState.");
}

void add_changes(OpCatalog& catalog, bool is_reference) {
  catalog.add(with_reader_input("ReaderRestoreState", is_reference)
      .doc("Gives the reader a state that ReaderSerializeState returned.")
      .input("state", DType::string)
      .infer_shape([](ShapeInference& s) {
        if (auto status = need_reader_handle(s); !status.ok()) return status;
        return s.need_rank(1, 0);
      })
      .stateful());
  catalog.add(with_reader_input("ReaderReset", is_reference)
      .doc("Makes the reader as if it had read nothing.")
      .infer_shape([](ShapeInference& s) { return need_reader_handle(s); })
      .stateful());
}

}  // namespace

// Readers: they give the records of files, whose names they get from a queue. The handle makes the
// reader, if there is none.
void add_reader_ops(OpCatalog& catalog) {
  for (bool is_reference : {true, false}) {
    add_readers(catalog, is_reference);
    add_reads(catalog, is_reference);
    add_counts(catalog, is_reference);
    add_changes(catalog, is_reference);
  }
}

}  // namespace troupe
