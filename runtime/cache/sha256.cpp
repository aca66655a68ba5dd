// SHA-256 by libsodium. These functions keep no state outside their arguments, so the library needs no initialisation.
#include <runtime/cache/sha256.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include <sodium/crypto_hash_sha256.h>

namespace sinter::codegen {

sha256 sha256_of(std::initializer_list<std::string_view> parts) {
    static_assert(crypto_hash_sha256_BYTES == sizeof(sha256));
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    for (const std::string_view part : parts) {
        unsigned char length[sizeof(std::uint64_t)];
        const std::uint64_t bytes = part.size();
        std::memcpy(length, &bytes, sizeof length);
        crypto_hash_sha256_update(&state, length, sizeof length);
        crypto_hash_sha256_update(&state, reinterpret_cast<const unsigned char*>(part.data()), bytes);
    }
    sha256 hash;
    crypto_hash_sha256_final(&state, hash.data());
    return hash;
}

std::string hexadecimal(const sha256& hash) {
    std::string digits;
    for (const unsigned char byte : hash) digits += fmt::format("{:02x}", byte);
    return digits;
}

}  // namespace sinter::codegen
