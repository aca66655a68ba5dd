// File access of the library: reading, mapping, and atomic replacement.
#pragma once

#include <sinter/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <sys/types.h>

namespace sinter::codegen {

/// Fills memory with the next bytes of the input.
using byte_source = std::function<void(void* to, std::size_t bytes)>;

/// The prefix of messages about a file: "load_npy: x.npy".
std::string about_file(const char* function, const std::string& path);

/// An operating system error, with its meaning and a possible cure.
error os_error(const std::string& who, const char* doing, int code);
/// The error for a file that is not regular, with that mode.
error not_regular(const std::string& who, mode_t mode);

/// A regular file, read at any offset. If others change it meanwhile, reading returns other contents or throws, but
/// never raises a signal as a mapping would. `who` begins the error messages.
class input_file {
public:
    input_file(const std::string& path, std::string who);
    ~input_file();
    input_file(const input_file&) = delete;
    input_file& operator=(const input_file&) = delete;

    /// The size when opened.
    std::size_t size() const { return size_; }
    /// Throws if the file ends earlier.
    void read(std::uint64_t at, void* to, std::size_t bytes) const;
    std::string text(std::uint64_t at, std::size_t bytes) const;
    /// A source of its bytes from `at` on.
    byte_source from(std::uint64_t at) const;

private:
    friend class mapped_file;
    error cut_short() const;
    void read_piece(std::uint64_t at, char* to, std::size_t bytes) const;

    std::string who_;
    int descriptor_ = -1;
    std::size_t size_ = 0;
};

/// A file's contents, mapped read-only. Throws if the file is now shorter than when it was opened. If it is truncated
/// later, access to the missing part raises SIGBUS, as POSIX specifies.
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

/// A file written next to its target, which it replaces on commit(), once it is on disk. Without a commit the target is
/// unchanged and nothing remains: until then the file has no name, if the file system supports that.
class replacement_file {
public:
    replacement_file(const std::string& path, std::string who);
    ~replacement_file();
    replacement_file(const replacement_file&) = delete;
    replacement_file& operator=(const replacement_file&) = delete;

    /// Opens a file that another process has shared by this name, and will commit.
    static std::unique_ptr<replacement_file> shared_by_another(const std::string& name, std::string who);

    void write(const void* data, std::size_t bytes);
    /// Writes at an offset, replacing earlier contents.
    void write_over(std::size_t offset, const void* data, std::size_t bytes);
    /// The name by which other processes can write to it until the commit.
    const std::string& share();
    /// Waits until the data is on disk.
    void flush() const;
    void commit();

private:
    explicit replacement_file(std::string who) : who_(std::move(who)) {}
    [[noreturn]] void fail(const char* doing, int code) const;
    template <class Write>
    void write_all(const void* data, std::size_t bytes, Write write);
    void open_unnamed();
    void open_named();
    void give_name();

    std::string target_;
    std::string temporary_;  ///< empty while the file has no name
    std::string who_;
    int descriptor_ = -1;
};

}  // namespace sinter::codegen
