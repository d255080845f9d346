#pragma once

#include <kj/async-io.h>
#include <kj/compat/tls.h>

#include <memory>
#include <string>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// By what the nodes and clients of a cluster prove to each other that they belong to it, and by
/// which their connections are encrypted: TLS, where both ends show a certificate. They are in a
/// folder: "ca.pem" has the certificates of those who may sign, "cert.pem" the own one, "key.pem"
/// its private key, all as PEM. Each certificate is for the name "troupe", whatever the host: a
/// node is known by its address, and by the task that it says it is. Thread-safe.
class Credentials {
 public:
  /// Those in the folder. InvalidArgument, naming the file, where one is missing or is not what it
  /// should be.
  static Result<std::shared_ptr<Credentials>> load(const std::string& folder);
  /// Those in the folder; without one, in that which the environment variable TROUPE_TLS names;
  /// null where there is none.
  static Result<std::shared_ptr<Credentials>> find(const std::string& folder);

  explicit Credentials(kj::TlsContext::Options options) : context_(options) {}

  /// The connection, encrypted, once the other end has proved to be a node of the cluster. Fails
  /// with the reason.
  kj::Promise<kj::Own<kj::AsyncIoStream>> as_client(kj::Own<kj::AsyncIoStream> connection);
  /// Likewise for the end that has accepted it.
  kj::Promise<kj::Own<kj::AsyncIoStream>> as_server(kj::Own<kj::AsyncIoStream> connection);

 private:
  kj::TlsContext context_;
};

/// The name that certificates of a cluster are for.
inline constexpr const char* certificate_name = "troupe";

}  // namespace troupe
