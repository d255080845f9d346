#include "troupe/actors/link/frame.hpp"

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/exception.h>

#include <cstring>
#include <limits>

#include "troupe_schema/link.capnp.h"

namespace troupe {
namespace {

using capnp::word;

capnp::Data::Reader to_data(const std::string& bytes) {
  return {reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()};
}
std::string from_data(capnp::Data::Reader data) {
  return {reinterpret_cast<const char*>(data.begin()), data.size()};
}
std::string from_text(capnp::Text::Reader text) { return {text.cStr(), text.size()}; }

struct Encoder {
  rpc::Frame::Builder to;

  void operator()(const HelloFrame& frame) {
    auto hello = to.initHello();
    hello.setVersion(frame.version);
    hello.setNode(to_data(frame.node));
    hello.setRootActor(frame.root_actor);
    hello.setLostLink(frame.lost_link);
  }
  void operator()(const WelcomeFrame& frame) {
    auto welcome = to.initWelcome();
    welcome.setNode(to_data(frame.node));
    welcome.setRootActor(frame.root_actor);
    welcome.setLink(frame.link);
  }
  void operator()(const RefusedFrame& frame) {
    auto refused = to.initRefused();
    refused.setNode(to_data(frame.node));
    refused.setCode(static_cast<uint16_t>(frame.status.code()));
    refused.setMessage(frame.status.message().c_str());
    refused.setLink(frame.link);
  }
  void operator()(const ConfirmFrame&) { to.setConfirm(); }
  void operator()(const MessageFrame& frame) {
    auto message = to.initMessage();
    message.setTarget(frame.target);
    message.setSender(frame.sender);
    message.setId(frame.id);
    message.setTransfer(frame.transfer);
    message.setContentBytes(frame.content_bytes);
    auto sizes = message.initTensorBytes(static_cast<kj::uint>(frame.tensor_bytes.size()));
    for (kj::uint i = 0; i < sizes.size(); ++i) sizes.set(i, frame.tensor_bytes[i]);
    message.setInPart(frame.in_part);
    if (frame.lent.empty()) return;
    auto lent = message.initLent(static_cast<kj::uint>(frame.lent.size()));
    for (kj::uint i = 0; i < lent.size(); ++i) {
      lent[i].setTensor(frame.lent[i].tensor);
      lent[i].setOffset(frame.lent[i].offset);
      lent[i].setNumber(frame.lent[i].number);
      lent[i].setRegion(frame.lent[i].region);
    }
  }
  void operator()(const GrantFrame& frame) { to.setGrant(frame.transfer); }
  void operator()(const PieceFrame& frame) {
    auto piece = to.initPiece();
    piece.setTransfer(frame.transfer);
    piece.setBytes(frame.bytes);
  }
  void operator()(const WithdrawnFrame& frame) { to.setWithdrawn(frame.transfer); }
  void operator()(const MemoryFrame& frame) { to.setMemory(frame.bytes); }
  void operator()(const MappedFrame&) { to.setMapped(); }
  void operator()(const ReturnedFrame& frame) { to.setReturned(frame.number); }
  void operator()(const RegionFrame& frame) {
    auto region = to.initRegion();
    region.setNumber(frame.number);
    region.setBytes(frame.name.bytes);
    region.setCard(frame.name.card.c_str());
    region.setHandle(to_data(frame.name.handle));
  }
  void operator()(const OpenedFrame& frame) { to.setOpened(frame.number); }
  void operator()(const EndedFrame& frame) { to.setEnded(frame.actor); }
  void operator()(const CloseFrame& frame) { to.setClose(frame.why.c_str()); }
};

Result<Frame> read_refused(rpc::Refused::Reader from) {
  if (from.getCode() > static_cast<uint16_t>(last_code))
    return invalid_argument("a refusal with an unknown code");
  auto code = static_cast<Code>(from.getCode());
  return Frame(RefusedFrame{
      .node = from_data(from.getNode()),
      .status = code == Code::ok ? Status() : Status(code, from_text(from.getMessage())),
      .link = from.getLink()});
}

Result<Frame> read_message_frame(rpc::Message::Reader from) {
  constexpr auto bytes_max = std::numeric_limits<uint64_t>::max() / 4;
  MessageFrame frame{
      .target = from.getTarget(),
      .sender = from.getSender(),
      .id = from.getId(),
      .transfer = from.getTransfer(),
      .content_bytes = from.getContentBytes(),
      .tensor_bytes = {},
      .in_part = from.getInPart()};
  if (frame.content_bytes == 0 || frame.content_bytes > link_limits::content_bytes_max)
    return invalid_argument("a message whose content has an impossible size");
  uint64_t total = frame.content_bytes;
  for (auto bytes : from.getTensorBytes()) {
    if (bytes > bytes_max - total) return invalid_argument("a message of an impossible size");
    total += bytes;
    frame.tensor_bytes.push_back(bytes);
  }
  for (auto lent : from.getLent()) {
    auto tensor = lent.getTensor();
    auto is_next = frame.lent.empty() || tensor > frame.lent.back().tensor;
    if (!is_next || tensor >= frame.tensor_bytes.size())
      return invalid_argument("a lent tensor that is none of its message's");
    frame.lent.push_back(
        {.tensor = tensor,
         .offset = lent.getOffset(),
         .number = lent.getNumber(),
         .region = lent.getRegion()});
  }
  if (frame.in_part && (frame.transfer == 0 || !frame.lent.empty()))
    return invalid_argument("a message in part that does not arrive in pieces");
  if (frame.transfer == 0 && frame.bytes() > link_limits::inline_bytes_max)
    return invalid_argument("a message that must have been announced");
  return Frame(std::move(frame));
}

RegionFrame read_region(rpc::Region::Reader from) {
  return {
      .number = from.getNumber(),
      .name = {
          .card = from_text(from.getCard()),
          .handle = from_data(from.getHandle()),
          .bytes = from.getBytes()}};
}

Result<Frame> read_frame(rpc::Frame::Reader from) {
  switch (from.which()) {
    case rpc::Frame::HELLO: {
      auto hello = from.getHello();
      return Frame(HelloFrame{
          .version = hello.getVersion(),
          .node = from_data(hello.getNode()),
          .root_actor = hello.getRootActor(),
          .lost_link = hello.getLostLink()});
    }
    case rpc::Frame::WELCOME: {
      auto welcome = from.getWelcome();
      return Frame(WelcomeFrame{
          .node = from_data(welcome.getNode()),
          .root_actor = welcome.getRootActor(),
          .link = welcome.getLink()});
    }
    case rpc::Frame::REFUSED: return read_refused(from.getRefused());
    case rpc::Frame::CONFIRM: return Frame(ConfirmFrame());
    case rpc::Frame::MESSAGE: return read_message_frame(from.getMessage());
    case rpc::Frame::GRANT: return Frame(GrantFrame{from.getGrant()});
    case rpc::Frame::PIECE: {
      auto piece = from.getPiece();
      if (piece.getBytes() == 0 || piece.getBytes() > link_limits::piece_bytes_max)
        return invalid_argument("a piece of an impossible size");
      return Frame(PieceFrame{piece.getTransfer(), piece.getBytes()});
    }
    case rpc::Frame::WITHDRAWN: return Frame(WithdrawnFrame{from.getWithdrawn()});
    case rpc::Frame::ENDED: return Frame(EndedFrame{from.getEnded()});
    case rpc::Frame::MEMORY: return Frame(MemoryFrame{from.getMemory()});
    case rpc::Frame::MAPPED: return Frame(MappedFrame());
    case rpc::Frame::RETURNED: return Frame(ReturnedFrame{from.getReturned()});
    case rpc::Frame::REGION: return Frame(read_region(from.getRegion()));
    case rpc::Frame::OPENED: return Frame(OpenedFrame{from.getOpened()});
    case rpc::Frame::CLOSE: return Frame(CloseFrame{from_text(from.getClose())});
  }
  return invalid_argument("a frame of an unknown kind");
}

kj::ArrayPtr<const word> words(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const word*>(bytes.data()), bytes.size() / sizeof(word)};
}

}  // namespace

uint64_t MessageFrame::bytes() const {
  uint64_t bytes = content_bytes;
  for (auto tensor : tensor_bytes) bytes += tensor;
  for (const auto& tensor : lent) bytes -= tensor_bytes[tensor.tensor];
  return bytes;
}

WireSlice encode(const Frame& frame) {
  word scratch[64] = {};
  capnp::MallocMessageBuilder message(kj::ArrayPtr<word>(scratch, 64));
  std::visit(Encoder{message.initRoot<rpc::Frame>()}, frame);
  auto flat = std::make_shared<kj::Array<word>>(capnp::messageToFlatArray(message));
  return {flat->begin(), flat->size() * sizeof(word), flat};
}

WireSlice padding_slice(size_t size) {
  static constexpr char zeros[8] = {};
  return {zeros, size, nullptr};
}

size_t frame_size(std::span<const std::byte> bytes) {
  // Otherwise a table of segments that comes byte by byte would be added up again each time.
  uint32_t last_segment = 0;
  std::memcpy(&last_segment, bytes.data(), sizeof last_segment);
  if (last_segment >= link_limits::frame_segments_max) return std::numeric_limits<size_t>::max();
  return capnp::expectedSizeInWordsFromPrefix(words(bytes)) * sizeof(word);
}

Result<Frame> decode(std::span<const std::byte> bytes) {
  Result<Frame> decoded = invalid_argument("");
  auto failed = kj::runCatchingExceptions([&] {
    capnp::ReaderOptions options;
    options.traversalLimitInWords = link_limits::frame_bytes_max / sizeof(word);
    capnp::FlatArrayMessageReader reader(words(bytes), options);
    decoded = read_frame(reader.getRoot<rpc::Frame>());
  });
  KJ_IF_MAYBE (error, failed)
    return invalid_argument(std::string("a malformed frame: ") + error->getDescription().cStr());
  return decoded;
}

}  // namespace troupe
