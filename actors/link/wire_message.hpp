#pragma once

#include <cstdint>
#include <vector>

#include <caf/all.hpp>

#include "troupe/graph/types/allocator.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// The content of an actor message as it crosses a link: serialized by CAF, but for the elements of
/// large tensors, which leave from and arrive in memory of their own.
struct WireMessage {
  std::vector<char> content;
  Tensors out_of_band;
};

/// The same where it arrives, in tensors of bytes.
struct ReceivedMessage {
  Tensor content;
  Tensors out_of_band;
};

/// Tensors of at least so many bytes are sent out of band, after the content; smaller ones are
/// cheaper to copy.
inline constexpr size_t out_of_band_bytes_min = 4096;
/// Of one message. Those after them are in the content: the frame of the message names each tensor
/// that is not, and its size is limited.
inline constexpr size_t out_of_band_max = 65536;
/// A list in an attribute of a node that has more values is refused, by the end that reads it,
/// which ends the link: so none may be sent.
inline constexpr size_t attr_values_max = 1'000'000;

/// Translates the handles of actors in messages to the numbers that a link knows them by.
/// Thread-safe.
class HandleTable {
 public:
  virtual ~HandleTable() = default;
  /// The number by which the peer can address the actor from now on; 0 for an empty handle.
  virtual uint64_t number_of(const caf::strong_actor_ptr& actor) = 0;
  /// The handle of the peer's actor of that number; empty for 0.
  virtual caf::strong_actor_ptr handle_of(uint64_t number) = 0;
};

/// The execution unit of a serializer or deserializer of such messages; node_serialization.hpp asks
/// for it where it meets a tensor or a handle.
class WireContext final : public caf::execution_unit {
 public:
  WireContext(caf::actor_system& system, HandleTable& handles, Tensors& out_of_band)
      : execution_unit(&system), handles(handles), out_of_band(out_of_band) {}
  /// That of the serializer, or null: then the whole tensor is in the content.
  static WireContext* of(caf::execution_unit* context);

  /// Writes a tensor out of band, after the content.
  void add(const Tensor& value) {
    out_of_band.push_back(value);
    ++next_out_of_band;
  }

  HandleTable& handles;
  Tensors& out_of_band;
  size_t next_out_of_band = 0;  // of those that were written, or read

 private:
  void exec_later(caf::resumable*) override;
};

WireMessage write_message(
    caf::actor_system& system, HandleTable& handles, const caf::type_erased_tuple& content);

/// InvalidArgument: the bytes make no message of a known type.
Result<caf::message> read_message(
    caf::actor_system& system, HandleTable& handles, ReceivedMessage received);

}  // namespace troupe
