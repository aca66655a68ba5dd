// Files as the library reads and writes them: mapped whole, and replaced whole or not at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sinter::codegen {

/// A regular file's content, mapped read-only. `who` ("load_npy: x.npy") begins the messages of the errors it throws.
class mapped_file {
public:
    mapped_file(const std::string& path, const std::string& who);
    ~mapped_file();
    mapped_file(const mapped_file&) = delete;
    mapped_file& operator=(const mapped_file&) = delete;

    std::string_view content() const { return {static_cast<const char*>(data_), size_}; }

private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

/// A file written beside its target, which it replaces on commit(). Without a commit the target stays as it was, and
/// nothing is left behind.
class replacement_file {
public:
    replacement_file(const std::string& path, const std::string& who);
    ~replacement_file();
    replacement_file(const replacement_file&) = delete;
    replacement_file& operator=(const replacement_file&) = delete;

    void write(const void* data, std::size_t bytes);
    /// Writes over what was written before at an offset.
    void write_over(std::size_t offset, const void* data, std::size_t bytes);
    void commit();

private:
    [[noreturn]] void fail(const char* doing, int code) const;
    template <class Write>
    void write_all(const void* data, std::size_t bytes, Write write);

    std::string target_;
    std::string temporary_;
    std::string who_;
    int descriptor_ = -1;
};

}  // namespace sinter::codegen
