#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "troupe/apps/cli/command.hpp"
#include "troupe/capnp/tls/credentials.hpp"

namespace troupe::cli {
namespace {

template <auto free>
struct Free {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;
using Memory = std::unique_ptr<BIO, Free<BIO_free_all>>;

constexpr int version_3 = 2;
constexpr long seconds_of_day = 24 * 60 * 60;

bool add_extension(X509* certificate, int kind, const char* value) {
  Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, kind, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

/// Signed by itself, so that it is its own authority; null where OpenSSL fails.
Certificate make_certificate(EVP_PKEY* key, int days) {
  Certificate made(X509_new());
  auto* name = X509_get_subject_name(made.get());
  auto names = std::string("DNS:") + certificate_name;
  uint64_t serial = 0;
  auto is_made =
      RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1 &&
      X509_set_version(made.get(), version_3) == 1 &&
      ASN1_INTEGER_set_uint64(X509_get_serialNumber(made.get()), serial >> 1) == 1 &&
      X509_gmtime_adj(X509_getm_notBefore(made.get()), -seconds_of_day) != nullptr &&
      X509_gmtime_adj(X509_getm_notAfter(made.get()), days * seconds_of_day) != nullptr &&
      X509_NAME_add_entry_by_txt(
          name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(certificate_name),
          /*len=*/-1, /*loc=*/-1, /*set=*/0) == 1 &&
      X509_set_issuer_name(made.get(), name) == 1 && X509_set_pubkey(made.get(), key) == 1 &&
      add_extension(made.get(), NID_basic_constraints, "critical,CA:TRUE") &&
      add_extension(made.get(), NID_subject_alt_name, names.c_str()) &&
      X509_sign(made.get(), key, EVP_sha256()) > 0;
  return is_made ? std::move(made) : nullptr;
}

std::string text_of(const Memory& memory) {
  char* begin = nullptr;
  auto size = BIO_get_mem_data(memory.get(), &begin);
  return std::string(begin, static_cast<size_t>(size));
}

/// A new file, which only this user may read.
Status write_file(const std::filesystem::path& path, std::string_view text) {
  auto fail = [&path] {
    return invalid_argument("cannot write '" + path.string() + "': " + std::strerror(errno));
  };
  int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return fail();
  auto written = ::write(file, text.data(), text.size());
  auto status = written == static_cast<ssize_t>(text.size()) ? Status() : fail();
  ::close(file);
  return status;
}

Status write_files(const std::filesystem::path& folder, int days) {
  Key key(EVP_EC_gen("P-256"));
  auto certificate = key ? make_certificate(key.get(), days) : nullptr;
  Memory own(BIO_new(BIO_s_mem())), secret(BIO_new(BIO_s_mem()));
  if (!certificate || PEM_write_bio_X509(own.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(
          secret.get(), key.get(), /*enc=*/nullptr, /*kstr=*/nullptr, /*klen=*/0, /*cb=*/nullptr,
          /*u=*/nullptr) != 1)
    return internal(
        std::string("OpenSSL failed: ") + ERR_error_string(ERR_get_error(), /*buf=*/nullptr));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return invalid_argument("cannot make '" + folder.string() + "': " + error.message());
  // The key first: where there is one already, nothing is written.
  if (auto status = write_file(folder / "key.pem", text_of(secret)); !status.ok()) return status;
  if (auto status = write_file(folder / "cert.pem", text_of(own)); !status.ok()) return status;
  return write_file(folder / "ca.pem", text_of(own));
}

int make_files(const std::string& folder, int days) {
  if (auto status = write_files(folder, days); !status.ok()) return fail(status);
  std::cout << "wrote ca.pem, cert.pem and key.pem; who has this folder belongs to the cluster:\n"
               "copy it to each machine, and set TROUPE_TLS="
            << folder << " for its nodes and clients\n";
  return 0;
}

}  // namespace

void add_certificate_command(CLI::App& app, Run& run) {
  struct Asked {
    std::string folder;
    int days = 3650;
  };
  auto asked = std::make_shared<Asked>();
  auto* command =
      app.add_subcommand("certificate", "Makes what nodes and clients need for connections by TLS");
  command->add_option("folder", asked->folder, "where the files are written")->required();
  command->add_option("--days", asked->days, "how long the certificate is valid (3650)")
      ->check(CLI::Range(1, 36500).description(""));
  command->footer(
      "One certificate for a whole cluster. Any other authority will do, too: ca.pem has its\n"
      "certificates, cert.pem one that it signed for the name troupe, key.pem the key of that.\n\n"
      "Example: troupe certificate tls && TROUPE_TLS=tls troupe-node --bind 0.0.0.0 ...");
  command->callback(
      [asked, &run] { run = [asked] { return make_files(asked->folder, asked->days); }; });
}

}  // namespace troupe::cli
