#include "troupe/devices/files/record_file.hpp"
#include "troupe/graph/support/file.hpp"
#include "troupe/tests/devices/cpu/parsing/reading.hpp"
#include "troupe/tests/temporary_folder.hpp"

namespace troupe::testing {
namespace {

struct ReaderFixture {
  TemporaryFolder folder;
  std::string one = folder / "one", two = folder / "two";

  static void write(const std::string& path, const std::string& text) {
    BOOST_TEST(write_file(path, text).ok());
  }
  /// A record as ReaderRead gives it.
  static std::string record(const std::string& key, const std::string& value) {
    return "string[] [\"" + key + "\"]; string[] [\"" + value + "\"]";
  }
  static constexpr auto ended =
      "OutOfRange: FIFOQueue 'q' is closed and has insufficient elements (requested 1, current "
      "size 0)";
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(reader, ReaderFixture)

BOOST_AUTO_TEST_CASE(a_reader_of_work_units_gives_their_names) {
  for (const std::string op : {"IdentityReader", "IdentityReaderV2"}) {
    Reading reading(op);
    BOOST_TEST(reading.counts() == "int64[] [0] int64[] [0]");
    reading.enqueue("a");
    reading.enqueue("b");
    BOOST_TEST(reading.read() == record("a", "a"));
    BOOST_TEST(reading.counts() == "int64[] [1] int64[] [1]");
    BOOST_TEST(reading.read() == record("b", "b"));
    reading.close();
    BOOST_TEST(reading.read() == ended);
    BOOST_TEST(reading.counts() == "int64[] [2] int64[] [2]");
  }
}

BOOST_AUTO_TEST_CASE(whole_files_are_records) {
  write(one, "all\nof it");
  for (const std::string op : {"WholeFileReader", "WholeFileReaderV2"}) {
    Reading reading(op);
    reading.enqueue(one);
    BOOST_TEST(reading.read() == record(one, "all\nof it"));
    BOOST_TEST(reading.counts() == "int64[] [1] int64[] [1]");
  }
}

BOOST_AUTO_TEST_CASE(lines_are_records_of_one_file_after_the_other) {
  write(one, "header\r\nfirst\r\n\nlast");
  write(two, "header\nalone\n");
  for (const std::string op : {"TextLineReader", "TextLineReaderV2"}) {
    Reading reading(op, {{"skip_header_lines", 1}});
    reading.enqueue(one);
    reading.enqueue(two);
    BOOST_TEST(reading.read() == record(one + ":2", "first"));
    BOOST_TEST(reading.read() == record(one + ":3", ""));
    BOOST_TEST(reading.read() == record(one + ":4", "last"));
    BOOST_TEST(reading.counts() == "int64[] [3] int64[] [0]");
    BOOST_TEST(reading.read() == record(two + ":2", "alone"));
    BOOST_TEST(reading.counts() == "int64[] [4] int64[] [1]");
  }
}

BOOST_AUTO_TEST_CASE(a_file_of_headers_only_has_no_records) {
  write(one, "header\n");
  write(two, "1\n2\n3\n4\n");
  Reading reading("TextLineReaderV2", {{"skip_header_lines", 3}});
  reading.enqueue(one);
  reading.enqueue(two);
  BOOST_TEST(reading.read() == record(two + ":4", "4"));
}

BOOST_AUTO_TEST_CASE(records_of_one_length_lie_between_header_and_footer) {
  write(one, "HHaabbccF");
  Attrs lengths{{"header_bytes", 2}, {"record_bytes", 2}, {"footer_bytes", 1}};
  for (const std::string op : {"FixedLengthRecordReader", "FixedLengthRecordReaderV2"}) {
    Reading reading(op, lengths);
    reading.enqueue(one);
    reading.close();
    BOOST_TEST(reading.read() == record(one + ":0", "aa"));
    BOOST_TEST(reading.read() == record(one + ":1", "bb"));
    BOOST_TEST(reading.read() == record(one + ":2", "cc"));
    BOOST_TEST(reading.read() == ended);
  }
}

BOOST_AUTO_TEST_CASE(records_of_one_length_may_overlap_or_have_gaps) {
  write(one, "HabcdefF");
  auto records = [&](int hop_bytes) {
    Reading reading(
        "FixedLengthRecordReaderV2",
        {{"header_bytes", 1}, {"record_bytes", 3}, {"footer_bytes", 1}, {"hop_bytes", hop_bytes}});
    reading.enqueue(one);
    auto all = reading("ReaderReadUpTo", {Tensor::scalar<int64_t>(9)});
    return all.substr(all.find("; ") + 2);
  };
  BOOST_TEST(records(1) == "string[4] [\"abc\" \"bcd\" \"cde\" \"def\"]");
  BOOST_TEST(records(2) == "string[2] [\"abc\" \"cde\"]");
  BOOST_TEST(records(0) == "string[2] [\"abc\" \"def\"]");
  BOOST_TEST(records(100) == "string[1] [\"abc\"]");
}

BOOST_AUTO_TEST_CASE(compressed_files_of_records_of_one_length_are_read) {
  for (auto [encoding, type] :
       {std::pair("ZLIB", Compression::zlib), std::pair("GZIP", Compression::gzip)}) {
    auto output = OutputStream::create(one, {.type = type});
    BOOST_TEST(((*output)->write("aabb").ok() && (*output)->close().ok()));
    Reading reading("FixedLengthRecordReaderV2", {{"record_bytes", 2}, {"encoding", encoding}});
    reading.enqueue(one);
    BOOST_TEST(reading.read() == record(one + ":0", "aa"));
    BOOST_TEST(reading.read() == record(one + ":1", "bb"));
  }
}

BOOST_AUTO_TEST_CASE(record_files_are_read_with_their_offsets_as_keys) {
  for (auto [name, type] : {std::pair("", Compression::none), std::pair("GZIP", Compression::gzip)})
    for (const std::string form : {"", "V2"}) {
      auto writer = RecordFileWriter::create(one, {.type = type});
      BOOST_TEST((writer->write("abc").ok() && writer->write("d").ok() && writer->close().ok()));
      Reading reading("TFRecordReader" + form, {{"compression_type", name}});
      reading.enqueue(one);
      BOOST_TEST(reading.read() == record(one + ":0", "abc"));
      BOOST_TEST(reading.read() == record(one + ":19", "d"));
    }
}

BOOST_AUTO_TEST_CASE(a_batch_has_records_of_one_work_unit_at_most_as_many_as_asked_for) {
  write(one, "1\n2\n3\n");
  write(two, "4\n");
  for (const std::string op : {"TextLineReader", "TextLineReaderV2"}) {
    Reading reading(op);
    reading.enqueue(one);
    reading.enqueue(two);
    reading.close();
    auto read = [&](int64_t count) {
      auto all = reading("ReaderReadUpTo", {Tensor::scalar(count)});
      return all.starts_with("string") ? all.substr(all.find("; ") + 2) : all;
    };
    BOOST_TEST(read(0) == "string[0] []");
    BOOST_TEST(read(2) == "string[2] [\"1\" \"2\"]");
    BOOST_TEST(read(int64_t{1} << 60) == "string[1] [\"3\"]");
    BOOST_TEST(read(2) == "string[1] [\"4\"]");
    BOOST_TEST(read(2) == ended);
    BOOST_TEST(read(-1) == "InvalidArgument: num_records must be a scalar that is not negative");
  }
}

BOOST_AUTO_TEST_CASE(a_read_waits_for_the_next_file) {
  Reading reading("IdentityReaderV2");
  auto step = reading.start("ReaderRead");
  reading.enqueue("late");
  BOOST_TEST(step->end() == record("late", "late"));
}

BOOST_AUTO_TEST_CASE(reads_that_wait_are_served_in_their_order) {
  Reading reading("IdentityReaderV2");
  auto first = reading.start("ReaderRead"), second = reading.start("ReaderRead");
  auto third = reading.start("ReaderSerializeState");
  reading.enqueue("a");
  reading.enqueue("b");
  BOOST_TEST(first->end() == record("a", "a"));
  BOOST_TEST(second->end() == record("b", "b"));
  BOOST_TEST(
      third->end() ==
      "string[] [\"\x08\x02\x10\x02\x18\x02\"\x01"
      "b\"]");
}

BOOST_AUTO_TEST_CASE(a_read_that_waits_can_be_cancelled_and_loses_no_file) {
  Reading reading("IdentityReaderV2");
  auto first = reading.start("ReaderRead"), second = reading.start("ReaderRead");
  auto third = reading.start("ReaderRead");
  second->cancel();  // it waits for the reader
  BOOST_TEST(starts_with(second->end(), "Cancelled: "));
  first->cancel();  // it waits for the queue
  BOOST_TEST(starts_with(first->end(), "Cancelled: "));
  reading.enqueue("a");
  BOOST_TEST(third->end() == record("a", "a"));
}

BOOST_AUTO_TEST_CASE(records_of_a_step_that_is_cancelled_are_read_again_in_their_places) {
  Reading reading("TextLineReaderV2");
  write(one, "first\nsecond\nthird\nfourth\n");
  reading.enqueue(one);
  auto first = reading.start("ReaderRead");
  BOOST_TEST(first->end() == record(one + ":1", "first"));
  auto more = reading.start("ReaderReadUpTo", {Tensor::scalar<int64_t>(2)});
  BOOST_TEST(more->end().ends_with("[\"second\" \"third\"]"));
  more->end_step(cancelled("by its client"));
  first->end_step(deadline_exceeded("too late"));
  BOOST_TEST(reading.counts() == "int64[] [0] int64[] [0]");
  for (std::string line : {"first", "second", "third", "fourth"})
    BOOST_TEST(reading.read().ends_with("[\"" + line + "\"]"));
}

BOOST_AUTO_TEST_CASE(records_of_a_step_that_ends_well_or_fails_by_itself_are_not_read_again) {
  Reading reading("IdentityReaderV2");
  reading.enqueue("a");
  reading.enqueue("b");
  reading.enqueue("c");
  auto first = reading.start("ReaderRead");
  BOOST_TEST(first->end() == record("a", "a"));
  first->end_step({});
  auto second = reading.start("ReaderRead");
  BOOST_TEST(second->end() == record("b", "b"));
  second->end_step(invalid_argument("it is no number"));
  BOOST_TEST(reading.read() == record("c", "c"));
}

BOOST_AUTO_TEST_CASE(a_dropped_reader_aborts_whoever_reads_or_waits) {
  Reading reading("IdentityReaderV2");
  auto first = reading.start("ReaderRead"), second = reading.start("ReaderRead");
  reading.reader->drop();
  auto gone = "Aborted: reader 'r' is gone: its container was reset";
  BOOST_TEST(first->end() == gone);
  BOOST_TEST(second->end() == gone);
  BOOST_TEST(reading.read() == gone);
  BOOST_TEST(reading("ReaderNumRecordsProduced") == gone);
}

BOOST_AUTO_TEST_CASE(a_dropped_queue_ends_the_read_that_waits_for_it) {
  Reading reading("IdentityReaderV2");
  auto step = reading.start("ReaderRead");
  reading.queue->drop();
  BOOST_TEST(step->end() == "Aborted: queue 'q' is gone: its container was reset");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_missing_is_skipped_and_the_error_names_it) {
  Reading reading("TextLineReaderV2");
  write(two, "line\n");
  reading.enqueue(one);
  reading.enqueue(two);
  BOOST_TEST(reading.read() == "NotFound: cannot read '" + one + "': No such file or directory");
  BOOST_TEST(reading.read() == record(two + ":1", "line"));
}

BOOST_AUTO_TEST_CASE(a_damaged_record_is_an_error_and_the_reader_stays_there) {
  auto writer = RecordFileWriter::create(one);
  BOOST_TEST((writer->write("abc").ok() && writer->write("d").ok() && writer->close().ok()));
  auto bytes = *read_file(one);
  bytes[19 + 12] = 'e';
  write(one, bytes);
  Reading reading("TFRecordReaderV2");
  reading.enqueue(one);
  BOOST_TEST(reading.read() == record(one + ":0", "abc"));
  auto damaged = "DataLoss: corrupted record at 31 of '" + one + "'";
  BOOST_TEST(reading.read() == damaged);
  BOOST_TEST(reading.read() == damaged);
  BOOST_TEST(reading("ReaderReset") == "");
  reading.enqueue(one);
  BOOST_TEST(reading.read() == record(one + ":0", "abc"));
}

BOOST_AUTO_TEST_CASE(a_queue_of_anything_but_names_is_refused) {
  Reading reading("IdentityReaderV2");
  reading.queue = std::make_shared<QueueResource>(Reading::queue_of(DType::float32));
  reading.enqueue(Tensor::scalar(1.0f));
  BOOST_TEST(reading.read() == "InvalidArgument: Expected queue with single string component");
  reading.queue = std::make_shared<QueueResource>(
      QueueSpec{.name = "q", .dtypes = {DType::string, DType::string}, .shapes = {}});
  reading.queue->enqueue(
      {{.components = {Tensor::string("a"), Tensor::string("b")}}}, [](const Status&) {});
  BOOST_TEST(reading.read() == "InvalidArgument: Expected single component queue");
  reading.queue = std::make_shared<QueueResource>(Reading::queue_of(DType::string));
  std::vector<std::string> names{"a", "b"};
  reading.enqueue(Tensor::of<std::string>({2}, std::span<const std::string>(names)));
  BOOST_TEST(reading.read() == "InvalidArgument: Expected to dequeue a one-element string tensor");
}

BOOST_AUTO_TEST_CASE(names_may_come_as_rows_of_a_batch) {
  Reading reading("IdentityReaderV2");
  std::vector<std::string> names{"a", "b"};
  auto batch = Tensor::of<std::string>({2}, std::span<const std::string>(names));
  reading.queue->enqueue({QueueRun::rows_of({batch})}, [](const Status&) {});
  BOOST_TEST(reading.read() == record("a", "a"));
  BOOST_TEST(reading.read() == record("b", "b"));
}

BOOST_AUTO_TEST_CASE(a_state_is_restored_by_readers_that_have_one) {
  for (const std::string form : {"", "V2"}) {
    Reading reading("IdentityReader" + form);
    reading.enqueue("a");
    reading.read();
    auto saved = reading.start("ReaderSerializeState");
    saved->end();
    auto state = saved->outputs[0];
    reading.enqueue("b");
    reading.read();
    BOOST_TEST(reading.counts() == "int64[] [2] int64[] [2]");
    BOOST_TEST(reading("ReaderRestoreState", {state}) == "");
    BOOST_TEST(reading.counts() == "int64[] [1] int64[] [1]");
    BOOST_TEST(reading("ReaderReset") == "");
    BOOST_TEST(reading.counts() == "int64[] [0] int64[] [0]");
  }
  Reading lines("TextLineReaderV2");
  BOOST_TEST(lines("ReaderSerializeState") == "Unimplemented: Reader SerializeState");
  BOOST_TEST(
      lines("ReaderRestoreState", {Tensor::string("")}) == "Unimplemented: Reader RestoreState");
}

BOOST_AUTO_TEST_CASE(what_is_no_state_is_refused_and_the_reader_is_new) {
  Reading reading("WholeFileReaderV2");
  auto restore = [&](const std::string& state) {
    return reading("ReaderRestoreState", {Tensor::string(state)});
  };
  BOOST_TEST(restore(std::string("\x08\x02\x10\x02\x18\x05", 6)) == "");
  BOOST_TEST(reading.counts() == "int64[] [5] int64[] [2]");
  BOOST_TEST(starts_with(
      restore("nonsense"),
      "InvalidArgument: Could not parse state for WholeFileReader 'WholeFileReaderV2': "));
  BOOST_TEST(reading.counts() == "int64[] [0] int64[] [0]");
  BOOST_TEST(starts_with(
      restore(std::string("\x08\x02\x10\x01", 4)),
      "InvalidArgument: Inconsistent work started vs. finished when restoring in"));
  BOOST_TEST(starts_with(
      restore(std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11)),
      "InvalidArgument: Unexpected negative value when restoring in"));
  std::vector<std::string> none;
  auto vector = Tensor::of<std::string>({0}, std::span<const std::string>(none));
  BOOST_TEST(
      reading("ReaderRestoreState", {vector}) ==
      "InvalidArgument: Reader state must be scalar, but had shape: [0]");
}

BOOST_AUTO_TEST_CASE(attributes_that_no_reader_can_have_are_refused) {
  auto error = [](const std::string& op, const Attrs& attrs) { return Reading(op, attrs).error; };
  BOOST_TEST(
      error("TextLineReaderV2", {{"skip_header_lines", -1}}) ==
      "InvalidArgument: skip_header_lines must be >= 0 not -1");
  BOOST_TEST(
      error("FixedLengthRecordReaderV2", {{"record_bytes", -2}}) ==
      "InvalidArgument: record_bytes must be >= 0 not -2");
  BOOST_TEST(
      error("FixedLengthRecordReaderV2", {{"record_bytes", 0}}) ==
      "InvalidArgument: record_bytes or hop_bytes must be greater than 0");
  BOOST_TEST(starts_with(
      error("TFRecordReaderV2", {{"compression_type", "LZW"}}),
      "InvalidArgument: Unsupported compression_type"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
