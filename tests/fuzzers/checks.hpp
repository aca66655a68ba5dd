// What every target holds of the library's errors, and how bytes become a file.
#pragma once

#include <tests/fuzzers/targets.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace sinter::test {

/// Ends the process, as a crash does: that is what fuzzers find.
[[noreturn]] inline void found(const std::string& what) {
    std::fprintf(stderr, "found: %s\n", what.c_str());
    std::abort();
}

/// A message is of one line, has no byte that a terminal obeys, and does not put the blame on the library.
inline void check_message(std::string_view text) {
    if (text.find("internal error") != text.npos) found(std::string(text));
    if (text.size() > 2000) found("a message of " + std::to_string(text.size()) + " bytes");
    for (const char c : text)
        if ((c >= 0 && c < ' ') || c == 0x7f) found("a message with a control character: " + std::string(text));
}

/// A file in memory, with a path.
class memory_file {
public:
    explicit memory_file(bytes content) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
        if (descriptor_ < 0 ||
            ::write(descriptor_, content.data(), content.size()) != static_cast<ssize_t>(content.size()))
            found("no file in memory");
    }
    ~memory_file() { ::close(descriptor_); }
    memory_file(const memory_file&) = delete;
    memory_file& operator=(const memory_file&) = delete;

    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
};

}  // namespace sinter::test
