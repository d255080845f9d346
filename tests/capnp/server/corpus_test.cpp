#include <spdlog/spdlog.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "troupe/capnp/client/client.hpp"
#include "troupe/tests/capnp/fake_node.hpp"
#include "troupe/tests/capnp/raw_socket.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// The seeds of rpc_fuzz.
std::vector<Bytes> recorded_connections() {
  std::vector<Bytes> connections;
  for (const auto& file : std::filesystem::directory_iterator(TROUPE_CORPUS)) {
    std::ifstream bytes(file.path(), std::ios::binary);
    connections.emplace_back(
        std::istreambuf_iterator<char>(bytes), std::istreambuf_iterator<char>());
  }
  return connections;
}

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  Bytes mutate(Bytes bytes) {
    for (auto changes = 1 + below(4); changes > 0; --changes) mutate_once(bytes);
    return bytes;
  }

 private:
  static constexpr size_t word = 8;

  size_t below(size_t bound) { return random_() % bound; }
  ptrdiff_t word_of(const Bytes& bytes) {
    return static_cast<ptrdiff_t>(below(bytes.size() / word) * word);
  }
  void mutate_once(Bytes& bytes) {
    if (bytes.size() < 2 * word) return;
    auto there = bytes.begin() + word_of(bytes), other = bytes.begin() + word_of(bytes);
    switch (below(5)) {
      case 0: bytes[below(bytes.size())] ^= static_cast<uint8_t>(1u << below(8)); return;
      case 1: bytes[below(bytes.size())] = static_cast<uint8_t>(random_()); return;
      case 2: bytes.resize(below(bytes.size())); return;
      case 3: std::copy_n(Bytes(other, other + word).begin(), word, there); return;
      default: bytes.erase(there, there + word);
    }
  }

  std::mt19937 random_;
};

struct CorpusFixture : FakeNode {
  CorpusFixture() { spdlog::set_level(spdlog::level::off); }
  ~CorpusFixture() { spdlog::set_level(spdlog::level::info); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(corpus, CorpusFixture)

BOOST_AUTO_TEST_CASE(recorded_connections_are_closed_also_when_mutated) {
  auto connections = recorded_connections();
  BOOST_TEST_REQUIRE(!connections.empty());
  Mutator mutator(7);
  for (const auto& connection : connections) {
    BOOST_TEST(closes_after(rpc_server->port(), connection));
    for (int round = 0; round < 1000; ++round)
      BOOST_REQUIRE(closes_after(rpc_server->port(), mutator.mutate(connection)));
  }
  BOOST_TEST(record->wait_for("close"));
  auto client = Client::connect(target());
  BOOST_TEST_REQUIRE(client.ok(), client.status().to_string());
  BOOST_TEST((*client)->node_info().ok());
}

BOOST_AUTO_TEST_SUITE_END()
