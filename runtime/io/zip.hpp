// Zip archives as far as arrays need them: members stored or deflated, of any size, in one file on one disk.
// The format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, version 6.3.10.
#pragma once

#include <runtime/io/file.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace sinter::codegen {

struct zip_member {
    std::string name;
    std::string_view packed;  ///< its bytes in the archive
    std::size_t size = 0;     ///< unpacked
    std::uint32_t checksum = 0;
    bool deflated = false;
};

/// The members of an archive, in the order of its directory. Throws, beginning with `who`, when `archive` is none, is
/// damaged, or uses what is not supported (encryption, other methods than stored and deflated).
std::vector<zip_member> read_zip_directory(std::string_view archive, const std::string& who);

/// The unpacked bytes of a member, or the first `most` of them. A member that is stored lies where it was; others lie
/// in `unpacked`. Whole members are compared with their checksums; throws, beginning with `who`, where they differ.
std::string_view unpack(const zip_member& member, std::size_t most, std::unique_ptr<char[]>& unpacked,
                        const std::string& who);

/// Writes an archive member by member into a file.
class zip_writer {
public:
    zip_writer(replacement_file& file, bool deflate);
    ~zip_writer();
    zip_writer(const zip_writer&) = delete;
    zip_writer& operator=(const zip_writer&) = delete;

    void begin(const std::string& name);
    void write(const void* data, std::size_t bytes);
    void end();
    /// Writes the directory: the last call.
    void finish();

private:
    struct packer;
    struct written {
        std::string name;
        std::uint64_t offset = 0, packed = 0, size = 0;
        std::uint32_t checksum = 0;
    };

    void put(const void* data, std::size_t bytes);
    void pack(const void* data, std::size_t bytes, bool last);

    replacement_file& file_;
    const bool deflate_;
    std::uint64_t position_ = 0;
    std::vector<written> members_;
    std::unique_ptr<packer> packer_;
};

}  // namespace sinter::codegen
