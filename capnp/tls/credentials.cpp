#include "troupe/capnp/tls/credentials.hpp"

#include <kj/exception.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "troupe/graph/support/file.hpp"

namespace troupe {
namespace {

constexpr const char* environment_variable = "TROUPE_TLS";

Result<std::string> read_pem(const std::string& path) {
  auto text = read_file(path);
  if (text.ok()) return text;
  return invalid_argument(
      "cannot read '" + path + "', which TLS needs: " + text.status().message() +
      "; 'troupe certificate FOLDER' makes such files");
}

/// What a file of that path has as `text`, or InvalidArgument.
template <class Made>
Result<Made> parse(const std::string& path, const std::string& text) {
  std::optional<Made> made;
  KJ_IF_MAYBE (error, kj::runCatchingExceptions([&] { made.emplace(kj::StringPtr(text.c_str())); }))
    return invalid_argument("'" + path + "' has no PEM: " + error->getDescription().cStr());
  return *std::move(made);
}

/// All certificates of a file, one after the other.
Result<std::vector<kj::TlsCertificate>> read_all(const std::string& path) {
  constexpr std::string_view end = "-----END CERTIFICATE-----";
  auto text = read_pem(path);
  if (!text) return text.status();
  std::vector<kj::TlsCertificate> found;
  for (size_t begin = 0;;) {
    auto at = text->find(end, begin);
    if (at == std::string::npos && !found.empty()) return found;
    auto next = at == std::string::npos ? text->size() : at + end.size();
    auto made = parse<kj::TlsCertificate>(path, text->substr(begin, next - begin));
    if (!made) return made.status();
    found.push_back(*std::move(made));
    begin = next;
  }
}

/// Whether the key is that of the certificate; both are PEM.
bool belongs(const std::string& key, const std::string& certificate) {
  auto open = [](const std::string& text) {
    return std::unique_ptr<BIO, decltype(&BIO_free_all)>(
        BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free_all);
  };
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> secret(
      PEM_read_bio_PrivateKey(open(key).get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  std::unique_ptr<X509, decltype(&X509_free)> shown(
      PEM_read_bio_X509(open(certificate).get(), nullptr, nullptr, nullptr), &X509_free);
  return secret && shown && X509_check_private_key(shown.get(), secret.get()) == 1;
}

}  // namespace

Result<std::shared_ptr<Credentials>> Credentials::load(const std::string& folder) {
  auto authorities = read_all(folder + "/ca.pem");
  if (!authorities) return authorities.status();
  auto shown_path = folder + "/cert.pem", key_path = folder + "/key.pem";
  auto shown = read_pem(shown_path), secret = read_pem(key_path);
  if (!shown) return shown.status();
  if (!secret) return secret.status();
  auto certificate = parse<kj::TlsCertificate>(shown_path, *shown);
  if (!certificate) return certificate.status();
  auto key = parse<kj::TlsPrivateKey>(key_path, *secret);
  if (!key) return key.status();
  if (!belongs(*secret, *shown))
    return invalid_argument("'" + key_path + "' is not the key of '" + shown_path + "'");
  kj::TlsKeypair pair{.privateKey = *std::move(key), .certificate = *std::move(certificate)};
  kj::TlsContext::Options options;
  options.useSystemTrustStore = false;
  options.verifyClients = true;
  options.trustedCertificates = kj::arrayPtr(authorities->data(), authorities->size());
  options.defaultKeypair = pair;
  std::shared_ptr<Credentials> made;
  KJ_IF_MAYBE (error, kj::runCatchingExceptions([&] {
                 made = std::make_shared<Credentials>(options);
               }))
    return invalid_argument(
        "the files in '" + folder + "' do not belong together: " + error->getDescription().cStr());
  return made;
}

Result<std::shared_ptr<Credentials>> Credentials::find(const std::string& folder) {
  if (!folder.empty()) return load(folder);
  const char* named = std::getenv(environment_variable);
  if (!named || !*named) return std::shared_ptr<Credentials>();
  return load(named);
}

kj::Promise<kj::Own<kj::AsyncIoStream>> Credentials::as_client(
    kj::Own<kj::AsyncIoStream> connection) {
  return context_.wrapClient(kj::mv(connection), certificate_name);
}

kj::Promise<kj::Own<kj::AsyncIoStream>> Credentials::as_server(
    kj::Own<kj::AsyncIoStream> connection) {
  return context_.wrapServer(kj::mv(connection));
}

}  // namespace troupe
