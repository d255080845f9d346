#include "troupe/actors/link/wire_message.hpp"

#include "troupe/actors/link/frame.hpp"
#include "troupe/tests/actors/link/link_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct NoHandles final : HandleTable {
  uint64_t number_of(const caf::strong_actor_ptr&) override { return 0; }
  caf::strong_actor_ptr handle_of(uint64_t) override { return nullptr; }
};

Tensor bytes_of(const void* data, size_t size) {
  auto tensor = *Tensor::allocate(DType::uint8, Shape({static_cast<int64_t>(size)}));
  std::memcpy(tensor.mutable_raw(), data, size);
  return tensor;
}

struct WireMessages {
  LinkConfig config;
  caf::actor_system system{config};
  NoHandles handles;

  WireMessage write(StartStep message) {
    return write_message(system, handles, caf::make_message(std::move(message)).content());
  }
  /// As it arrives at the other end.
  Result<caf::message> read(const WireMessage& message) {
    ReceivedMessage received{bytes_of(message.content.data(), message.content.size()), {}};
    for (const auto& tensor : message.beside)
      received.beside.push_back(Tensor::alias(
          DType::uint8, Shape({static_cast<int64_t>(tensor.bytes())}),
          const_cast<void*>(tensor.raw()), [tensor] {}));
    return read_message(system, handles, std::move(received));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(wire_messages, WireMessages)

BOOST_AUTO_TEST_CASE(any_number_of_large_tensors_makes_a_message_whose_frame_is_not_too_large) {
  constexpr size_t more = 10;
  auto feed = bytes_of(std::string(beside_bytes_min, 'x').data(), beside_bytes_min);
  auto message = write({.feeds = Tensors(beside_max + more, feed)});
  BOOST_TEST(message.beside.size() == beside_max);
  BOOST_TEST(message.content.size() > more * beside_bytes_min);
  MessageFrame frame{.tensor_bytes = std::vector<uint64_t>(beside_max, beside_bytes_min)};
  for (uint32_t i = 0; i < beside_max; ++i)
    frame.lent.push_back({.tensor = i, .offset = i, .number = i});
  BOOST_TEST(encode(frame).size <= link_limits::frame_bytes_max);
  auto back = read(message);
  BOOST_TEST_REQUIRE(back.ok(), back.status().to_string());
  const auto& feeds = back->get_as<StartStep>(0).feeds;
  BOOST_TEST(feeds.size() == beside_max + more);
  BOOST_TEST(std::ranges::all_of(feeds, [&](const Tensor& got) { return equal(got, feed); }));
}

BOOST_AUTO_TEST_SUITE_END()
