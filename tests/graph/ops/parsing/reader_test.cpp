#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/op_fixture.hpp"

namespace troupe {

/// The ops of readers, by reference and by handle.
struct ReaderOpsFixture : OpFixture {
  struct Form {
    std::string reader, queue;
    std::vector<const char*> readers, counts;
    const char *read, *read_up_to, *serialize, *restore, *reset, *shape;
  };

  std::string queue(const char* op) {
    return add(op, {}, {{"component_types", DTypes{DType::string}}});
  }
  std::vector<Form> forms() {
    return {
        {.reader = add("IdentityReader", {}, {}),
         .queue = queue("FIFOQueue"),
         .readers = {"WholeFileReader", "TextLineReader", "TFRecordReader", "IdentityReader"},
         .counts = {"ReaderNumRecordsProduced", "ReaderNumWorkUnitsCompleted"},
         .read = "ReaderRead",
         .read_up_to = "ReaderReadUpTo",
         .serialize = "ReaderSerializeState",
         .restore = "ReaderRestoreState",
         .reset = "ReaderReset",
         .shape = "[2]"},
        {.reader = add("IdentityReaderV2", {}, {}),
         .queue = queue("FIFOQueueV2"),
         .readers =
             {"WholeFileReaderV2", "TextLineReaderV2", "TFRecordReaderV2", "IdentityReaderV2"},
         .counts = {"ReaderNumRecordsProducedV2", "ReaderNumWorkUnitsCompletedV2"},
         .read = "ReaderReadV2",
         .read_up_to = "ReaderReadUpToV2",
         .serialize = "ReaderSerializeStateV2",
         .restore = "ReaderRestoreStateV2",
         .reset = "ReaderResetV2",
         .shape = "[]"}};
  }
};

BOOST_FIXTURE_TEST_SUITE(reader_ops, ReaderOpsFixture)

BOOST_AUTO_TEST_CASE(a_record_is_two_strings_and_a_batch_two_vectors_of_them) {
  auto count = placeholder(DType::int64, {}), state = placeholder(DType::string, {});
  for (const auto& form : forms()) {
    for (const auto* op : form.readers) BOOST_TEST(shape(op, {}) == form.shape);
    for (const auto* op : form.counts) BOOST_TEST(shape(op, {form.reader}) == "[]");
    BOOST_TEST(shape(form.read, {form.reader, form.queue}) == "[] []");
    BOOST_TEST(shape(form.read_up_to, {form.reader, form.queue, count}) == "[?] [?]");
    BOOST_TEST(shape(form.serialize, {form.reader}) == "[]");
    BOOST_TEST(shape(form.restore, {form.reader, state}) == "");
    BOOST_TEST(shape(form.reset, {form.reader}) == "");
  }
}

BOOST_AUTO_TEST_CASE(records_of_one_length_need_that_length) {
  Attrs attrs{{"record_bytes", 3}};
  BOOST_TEST(shape("FixedLengthRecordReader", {}, attrs) == "[2]");
  BOOST_TEST(shape("FixedLengthRecordReaderV2", {}, attrs) == "[]");
  BOOST_TEST(shape("FixedLengthRecordReaderV2", {}).find("record_bytes") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(counts_and_states_are_scalars) {
  auto counts = placeholder(DType::int64, {2}), states = placeholder(DType::string, {2});
  for (const auto& form : forms()) {
    auto wrong = "must have rank 0";
    BOOST_TEST(
        shape(form.read_up_to, {form.reader, form.queue, counts}).find(wrong) != std::string::npos);
    BOOST_TEST(shape(form.restore, {form.reader, states}).find(wrong) != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
