// Files as the library reads and writes them: read or mapped, and replaced whole or not at all.
#pragma once

#include <sinter/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace sinter::codegen {

/// Fills memory with the next bytes of what is read.
using byte_source = std::function<void(void* to, std::size_t bytes)>;

/// How the messages about a file begin: "load_npy: x.npy".
std::string about_file(const char* function, const std::string& path);

/// An error of the operating system, what it means and what may help.
error os_error(const std::string& who, const char* doing, int code);
/// Of a file of that mode, which is no regular one.
error not_regular(const std::string& who, mode_t mode);

/// A regular file that is read at any offset. Others may change it meanwhile: then what is read is another content, or
/// an error, and never a signal, as it would be through a mapping. `who` begins the messages of the errors it throws.
class input_file {
public:
    input_file(const std::string& path, std::string who);
    ~input_file();
    input_file(const input_file&) = delete;
    input_file& operator=(const input_file&) = delete;

    /// When it was opened.
    std::size_t size() const { return size_; }
    /// Throws where the file ends before that.
    void read(std::uint64_t at, void* to, std::size_t bytes) const;
    std::string text(std::uint64_t at, std::size_t bytes) const;
    /// Its bytes from `at` on, one after the other.
    byte_source from(std::uint64_t at) const;

private:
    friend class mapped_file;
    error cut_short() const;
    void read_piece(std::uint64_t at, char* to, std::size_t bytes) const;

    std::string who_;
    int descriptor_ = -1;
    std::size_t size_ = 0;
};

/// A file's content, mapped read-only. Throws where the file is no longer as long as when it was opened. Who cuts it
/// off later has every later use of what is gone end in SIGBUS: POSIX has no other answer.
class mapped_file {
public:
    explicit mapped_file(const input_file& file);
    ~mapped_file();
    mapped_file(const mapped_file&) = delete;
    mapped_file& operator=(const mapped_file&) = delete;

    std::string_view content() const { return {static_cast<const char*>(data_), size_}; }

private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

/// A file written beside its target, which it replaces on commit(), once it is on the disk. Without a commit the target
/// stays as it was, and nothing is left behind: until then the file has no name, where the file system can do that.
class replacement_file {
public:
    replacement_file(const std::string& path, std::string who);
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
    void open_unnamed();
    void open_named();
    void give_name();

    std::string target_;
    std::string temporary_;  ///< empty as long as the file has no name
    std::string who_;
    int descriptor_ = -1;
};

}  // namespace sinter::codegen
