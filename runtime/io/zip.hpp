// Zip archives as far as arrays need them: members stored or deflated, of any size, in one file on one disk.
// The format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, version 6.3.10.
#pragma once

#include <runtime/io/file.hpp>
#include <sinter/npz.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace sinter::codegen {

struct zip_member {
    std::string name;
    std::uint64_t begin = 0;  ///< of its bytes in the archive
    std::size_t packed = 0;   ///< how many they are
    std::size_t size = 0;     ///< unpacked
    std::uint32_t checksum = 0;
    bool deflated = false;
};

/// The members of an archive, in the order of its directory. Throws, beginning with `who`, when `archive` is none, is
/// damaged, has more members than the limit, members of one name or over the same bytes, or uses what is not supported
/// (encryption, other methods than stored and deflated).
std::vector<zip_member> read_zip_directory(const input_file& archive, const npz_limits& limits, const std::string& who);

/// Unpacks a member from its beginning on.
class zip_reader {
public:
    zip_reader(const input_file& archive, const zip_member& member, const std::string& who);
    ~zip_reader();
    zip_reader(const zip_reader&) = delete;
    zip_reader& operator=(const zip_reader&) = delete;

    /// The next bytes. Throws, beginning with `who`, where there are not so many.
    void read(void* to, std::size_t bytes);
    /// After the last of them: throws where bytes are left, or the checksum differs.
    void finish();

private:
    struct inflater;
    bool inflate_more();
    void inflate_into(char* to, std::size_t bytes);

    const input_file& archive_;
    const zip_member& member_;
    const std::string who_;
    std::uint64_t at_;  ///< in the archive
    std::size_t left_;  ///< packed bytes that have not been read
    std::size_t given_ = 0;
    std::uint32_t checksum_ = 0;
    std::unique_ptr<inflater> inflater_;
};

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
