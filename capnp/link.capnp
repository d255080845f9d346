@0xd1f0a6c3b7e94a52;
# The protocol between two nodes. A connection to a node's advertised port that begins with the
# eight bytes "troupe=\n" is a link: from then on each end sends frames, each a Cap'n Proto message
# of struct Frame in the standard framing, some of them followed by bytes that are not part of it.
#
# The end that opened the connection sends `hello`. The other answers with `welcome` or `refused`.
# `confirm` completes the link; from then on both ends send messages. Two nodes have at most one
# link: see LinkSet in actors/link/link_set.hpp for the rule by which two that connect to each other
# at once agree on it.
#
# A message of up to 1 MiB is sent as one frame with its bytes. A larger one is announced by its
# frame and waits for `grant`: the receiver grants as much as it has room for. Its bytes then follow
# in pieces, between which other frames pass. Until the last piece the sender may withdraw it; a
# grant that crosses the withdrawal is without effect.
#
# Over a Unix socket, tensors may stay where they are: an end sends `memory`, together with two
# descriptors: of the file that its large tensors lie in, and of a pipe's end for writing. The other
# maps the file and answers `mapped`. From then on a message may name parts of that file instead of
# sending their bytes. Each part is lent under a number of its own until `returned`. The pipe stays
# open while the file is mapped: once a link has ended, the pipe's other end tells when nothing is
# read any more.
#
# Where both have cards, and the file is mapped, an end sends `region` when it first has a tensor
# for the other that lies in that region of a card's memory. The other opens it, if it can, and
# answers `opened`: from then on parts of that region are lent, too. It closes the region when the
# link has ended and all parts are returned, before it closes the pipe.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("troupe::rpc");

struct Frame {
  union {
    hello @0 :Hello;
    welcome @1 :Welcome;
    refused @2 :Refused;
    confirm @3 :Void;
    message @4 :Message;
    grant @5 :UInt64;          # the transfer whose pieces may be sent
    piece @6 :Piece;
    ended @7 :UInt64;          # an actor of the sender, known to the receiver, that has ended
    close @8 :Text;            # the last frame: why the sender closes the link
    withdrawn @9 :UInt64;      # a transfer that was announced, and will not be finished
    memory @10 :UInt64;        # the bytes of the file; descriptors come with this frame
    mapped @11 :Void;
    returned @12 :UInt64;      # a part that was lent
    region @13 :Region;
    opened @14 :UInt64;        # a region, by its number
  }
}

struct Hello {
  version @0 :UInt32;          # of the protocol between nodes
  node @1 :Data;               # identifies the process; another one after a restart
  rootActor @2 :UInt64;        # the node's task actor
  lostLink @3 :UInt64;         # a link with this node that has ended here, or 0
}

struct Welcome {
  node @0 :Data;
  rootActor @1 :UInt64;
  link @2 :UInt64;             # the number of the link, chosen at random
}

struct Refused {
  node @0 :Data;
  code @1 :UInt16;             # of the error, as in struct Status; 0 where a link exists
  message @2 :Text;
  link @3 :UInt64;             # the number of the link that exists
}

struct Message {
  target @0 :UInt64;           # an actor of the receiver
  sender @1 :UInt64;           # an actor of the sender, or 0
  id @2 :UInt64;               # relates a response to its request
  transfer @3 :UInt64;         # 0: the bytes follow the frame
  contentBytes @4 :UInt64;     # the content, as CAF serializes it
  tensorBytes @5 :List(UInt64);  # tensors that are not in the content, by their size
  lent @6 :List(Lent);         # tensors of tensorBytes whose elements are not sent, in their order
  inPart @7 :Bool;             # the receiver is given the message before all tensors have arrived
  # The bytes: the content, then the tensors' elements, and zeros up to a multiple of 8.
}

struct Lent {
  tensor @0 :UInt32;           # its index in tensorBytes
  offset @1 :UInt64;           # in the sender's file, or in the region
  number @2 :UInt64;           # for `returned`
  region @3 :UInt64;           # 0: the file
}

struct Region {
  number @0 :UInt64;           # from 1
  bytes @1 :UInt64;
  card @2 :Text;               # its place in the machine
  handle @3 :Data;             # of the card's driver
}

struct Piece {
  transfer @0 :UInt64;
  bytes @1 :UInt32;            # they follow the frame, with zeros up to a multiple of 8
}
