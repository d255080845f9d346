#include "troupe/devices/files/lmdb_file.hpp"

#include <cstring>

#include <boost/test/unit_test.hpp>

#include "troupe/tests/temporary_folder.hpp"

using namespace troupe;
using troupe::testing::TemporaryFolder;

namespace {

constexpr size_t page_bytes = 512;

struct Entry {
  std::string key, value;
  uint64_t page = 0;  // of a branch, or of a value that fills pages
  size_t value_bytes = 0;
};

/// The bytes of a file with a root, two leaves and a value in a page of its own.
struct LmdbFileFixture {
  LmdbFileFixture() {
    describe(0, /*transaction=*/3, /*root=*/2);
    describe(1, /*transaction=*/2, /*root=*/~uint64_t{0});
    add_page(2, /*flags=*/1, {{"", "", 3}, {"m", "", 4}});
    add_page(3, /*flags=*/2, {{"a", "first"}, {"b", ""}, {"c", "", 5, large.size()}});
    add_page(4, /*flags=*/2, {{"m", "last"}});
    put(5 * page_bytes + 10, uint16_t{4});
    bytes.replace(5 * page_bytes + 16, large.size(), large);
  }

  template <class T>
  void put(size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof(T));
  }

  void describe(size_t page, uint64_t transaction, uint64_t root) {
    auto at = page * page_bytes;
    put(at + 10, uint16_t{8});
    put(at + 16, uint32_t{0xBEEFC0DE});
    put(at + 20, uint32_t{1});
    put(at + 40, static_cast<uint32_t>(page_bytes));
    put(at + 128, root);
    put(at + 144, transaction);
  }

  void add_page(uint64_t page, uint16_t flags, const std::vector<Entry>& entries) {
    auto begin = page * page_bytes, end = begin + page_bytes;
    put(begin, page);
    put(begin + 10, flags);
    put(begin + 12, static_cast<uint16_t>(16 + 2 * entries.size()));
    for (size_t i = 0; i < entries.size(); ++i) {
      const auto& [key, value, to, value_bytes] = entries[i];
      std::string rest = key + value;
      if (value_bytes > 0) rest.append(reinterpret_cast<const char*>(&to), sizeof(to));
      end -= 8 + rest.size();
      bool is_branch = flags == 1;
      put(end, static_cast<uint32_t>(
                   is_branch         ? to
                   : value_bytes > 0 ? value_bytes
                                     : value.size()));
      put(end + 4, static_cast<uint16_t>(value_bytes > 0 ? 1 : 0));
      put(end + 6, static_cast<uint16_t>(key.size()));
      bytes.replace(end + 8, rest.size(), rest);
      put(begin + 16 + 2 * i, static_cast<uint16_t>(end - begin));
    }
  }

  /// At most 100 entries as texts, and the code of the error that ends them.
  std::vector<std::string> read(const std::string& content) const {
    BOOST_TEST(write_file(folder / "data.mdb", content).ok());
    auto file = LmdbFile::open(folder.path());
    if (!file) return {std::string(to_string(file.status().code()))};
    std::vector<std::string> all;
    while (all.size() < 100) {
      std::string key, value;
      auto has_entry = file->read(key, value);
      if (!has_entry) all.emplace_back(to_string(has_entry.status().code()));
      if (!has_entry || !*has_entry) return all;
      all.push_back(key + "=" + value);
    }
    return all;
  }

  TemporaryFolder folder;
  std::string large = std::string(400, 'x');
  std::string bytes = std::string(6 * page_bytes, '\0');
  std::vector<std::string> expected = {"a=first", "b=", "c=" + large, "m=last"};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(lmdb_file, LmdbFileFixture)

BOOST_AUTO_TEST_CASE(entries_come_in_the_order_of_their_keys) {
  BOOST_TEST(read(bytes) == expected);
  BOOST_TEST(LmdbFile::open(folder / "data.mdb").ok());
  BOOST_TEST((LmdbFile::open(folder / "none").status().code() == Code::not_found));
}

BOOST_AUTO_TEST_CASE(the_later_description_counts) {
  describe(1, /*transaction=*/4, /*root=*/4);
  BOOST_TEST(read(bytes) == std::vector<std::string>{"m=last"});
  describe(1, /*transaction=*/4, /*root=*/~uint64_t{0});
  BOOST_TEST(read(bytes).empty());
}

BOOST_AUTO_TEST_CASE(other_files_are_refused) {
  BOOST_TEST(read("") == std::vector<std::string>{"InvalidArgument"});
  BOOST_TEST(read(std::string(9000, 'x')) == std::vector<std::string>{"InvalidArgument"});
  put(88 + 4, uint16_t{4});  // keys of several values
  BOOST_TEST(read(bytes) == std::vector<std::string>{"InvalidArgument"});
}

BOOST_AUTO_TEST_CASE(damaged_files_are_errors) {
  for (size_t size = 0; size < bytes.size(); size += 7) read(bytes.substr(0, size));
  BOOST_TEST(read(bytes.substr(0, 4 * page_bytes)).back() == "DataLoss");
  for (size_t at = 0; at < 5 * page_bytes; ++at)
    for (auto flip : {0x01, 0x80, 0xFF}) {
      if (bytes[at] == 0 && at % 16 != 0) continue;  // most of the file
      auto damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      read(damaged);
    }
  put(2 * page_bytes + page_bytes - 8, uint32_t{2});  // the root is below itself
  BOOST_TEST(read(bytes).back() == "DataLoss");
}

BOOST_AUTO_TEST_SUITE_END()
