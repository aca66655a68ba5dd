// The part of the zip format that arrays need: stored or deflated members of any size, in a single file.
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
    std::uint64_t begin = 0;  ///< offset of its data in the archive
    std::size_t packed = 0;   ///< packed size
    std::size_t size = 0;     ///< unpacked size
    std::uint32_t checksum = 0;
    bool deflated = false;
};

/// The members of an archive, in directory order. Throws with prefix `who` if `archive` is not a zip file, is damaged,
/// exceeds the member limit, has duplicate names or overlapping members, or uses unsupported features (encryption,
/// methods other than stored and deflated).
std::vector<zip_member> read_zip_directory(const input_file& archive, const npz_limits& limits, const std::string& who);

/// Unpacks a member sequentially.
class zip_reader {
public:
    zip_reader(const input_file& archive, const zip_member& member, const std::string& who);
    ~zip_reader();
    zip_reader(const zip_reader&) = delete;
    zip_reader& operator=(const zip_reader&) = delete;

    /// Reads the next bytes. Throws with prefix `who` if there are not enough.
    void read(void* to, std::size_t bytes);
    /// Call after the last read: throws if bytes are left, or the checksum differs.
    void finish();

private:
    struct inflater;
    bool inflate_more();
    void inflate_into(char* to, std::size_t bytes);

    const input_file& archive_;
    const zip_member& member_;
    const std::string who_;
    std::uint64_t at_;  ///< offset in the archive
    std::size_t left_;  ///< packed bytes not read yet
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
    /// Writes the directory; must be the last call.
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
