// The reading side of zip archives. Every offset and size of the file is checked before it is used.
#include <runtime/io/checksum.hpp>
#include <runtime/io/zip.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace sinter::codegen {
namespace {

constexpr std::uint32_t local_mark = 0x04034b50, member_mark = 0x02014b50, end_mark = 0x06054b50,
                        wide_end_mark = 0x06064b50, wide_locator_mark = 0x07064b50;
constexpr std::size_t local_bytes = 30, member_bytes = 46, end_bytes = 22, wide_end_bytes = 56, locator_bytes = 20;
constexpr std::size_t longest_comment = 0xffff;
constexpr std::uint64_t in_extra_field = 0xffffffff;  ///< a 32-bit number that is written wide elsewhere

error damaged(const std::string& who, const char* what) {
    return error(
        fmt::format("{}: damaged archive: {}; copy the file again, or write it again with np.savez", who, what));
}

/// Little-endian numbers at offsets into a piece of the archive, which must hold them.
class fields {
public:
    fields(std::string_view archive, std::uint64_t at, std::size_t bytes, const std::string& who) {
        if (at > archive.size() || archive.size() - at < bytes) throw damaged(who, "it is cut short");
        text_ = archive.substr(static_cast<std::size_t>(at), bytes);
    }
    std::uint64_t number(std::size_t at, std::size_t bytes) const {
        std::uint64_t n = 0;
        for (std::size_t i = 0; i < bytes; ++i)
            n |= static_cast<std::uint64_t>(static_cast<unsigned char>(text_[at + i])) << (8 * i);
        return n;
    }
    std::uint16_t u16(std::size_t at) const { return static_cast<std::uint16_t>(number(at, 2)); }
    std::uint32_t u32(std::size_t at) const { return static_cast<std::uint32_t>(number(at, 4)); }
    std::uint64_t u64(std::size_t at) const { return number(at, 8); }
    std::string_view text() const { return text_; }

private:
    std::string_view text_;
};

struct directory {
    std::uint64_t offset = 0, count = 0;
};

/// Finds the directory from the record at the archive's end, behind which a comment may stand.
directory find_directory(std::string_view archive, const std::string& who) {
    const std::uint32_t mark = archive.size() < 4 ? 0 : fields(archive, 0, 4, who).u32(0);
    if (mark != local_mark && mark != end_mark)
        throw error(
            fmt::format("{}: not a .npz archive: it does not begin as a zip file does; np.savez writes one", who));
    const std::size_t last = archive.size() < end_bytes ? 0 : archive.size() - end_bytes + 1;
    const std::size_t first = last - std::min(last, longest_comment + 1);
    for (std::size_t at = last; at-- > first;) {
        const fields end(archive, at, end_bytes, who);
        if (end.u32(0) != end_mark || end.u16(20) != archive.size() - at - end_bytes) continue;
        directory found{end.u32(16), end.u16(10)};
        if (at >= locator_bytes) {
            const fields locator(archive, at - locator_bytes, locator_bytes, who);
            if (locator.u32(0) == wide_locator_mark) {
                const fields wide(archive, locator.u64(8), wide_end_bytes, who);
                if (wide.u32(0) != wide_end_mark) throw damaged(who, "its directory is not where it should be");
                found = {wide.u64(48), wide.u64(32)};
            }
        }
        return found;
    }
    throw damaged(who, "it has no directory at its end");
}

/// Replaces the numbers that do not fit into 32 bits by those of the extra field 1.
void widen(std::string_view extra, const std::string& who, std::initializer_list<std::uint64_t*> numbers) {
    while (extra.size() >= 4) {
        const fields head(extra, 0, 4, who);
        const std::size_t bytes = head.u16(2);
        const fields content(extra, 4, bytes, who);
        if (head.u16(0) == 1) {
            std::size_t at = 0;
            for (std::uint64_t* n : numbers) {
                if (*n != in_extra_field) continue;
                if (at + 8 > bytes) throw damaged(who, "a size is missing");
                *n = content.u64(at);
                at += 8;
            }
        }
        extra.remove_prefix(4 + bytes);
    }
}

zip_member read_member(std::string_view archive, std::uint64_t& at, const std::string& who) {
    const fields head(archive, at, member_bytes, who);
    if (head.u32(0) != member_mark) throw damaged(who, "its directory has an entry that is none");
    const std::size_t name_bytes = head.u16(28), extra_bytes = head.u16(30), comment_bytes = head.u16(32);
    const fields tail(archive, at + member_bytes, name_bytes + extra_bytes + comment_bytes, who);
    at += member_bytes + tail.text().size();

    zip_member m;
    m.name = tail.text().substr(0, name_bytes);
    m.checksum = head.u32(16);
    std::uint64_t packed = head.u32(20), size = head.u32(24), offset = head.u32(42);
    widen(tail.text().substr(name_bytes, extra_bytes), who, {&size, &packed, &offset});
    const std::uint16_t method = head.u16(10);
    if ((head.u16(8) & 1) != 0)
        throw error(fmt::format("{}: '{}' is encrypted, which is not supported; decrypt the archive", who, m.name));
    if (method != 0 && method != Z_DEFLATED)
        throw error(
            fmt::format("{}: '{}' is packed by method {}, which is not supported; write it with np.savez or "
                        "np.savez_compressed",
                        who, m.name, method));
    m.deflated = method == Z_DEFLATED;

    const fields local(archive, offset, local_bytes, who);
    if (local.u32(0) != local_mark) throw damaged(who, "a member is not where its directory says");
    const std::uint64_t begin = offset + local_bytes + local.u16(26) + local.u16(28);
    if (packed > archive.size()) throw damaged(who, "it is cut short");
    m.packed = fields(archive, begin, static_cast<std::size_t>(packed), who).text();
    // Deflate makes at most 258 bytes of two bits.
    if (m.deflated ? size / 1032 > packed : size != packed) throw damaged(who, "a member has an impossible size");
    m.size = static_cast<std::size_t>(size);
    return m;
}

/// Inflates into `to` until it is full or the data ends; gives the number of bytes, or nothing for damaged data.
std::optional<std::size_t> inflate_into(char* to, std::size_t room, std::string_view packed, bool whole) {
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    std::size_t read = 0, written = 0;
    int status = Z_OK;
    while (status == Z_OK && (written < room || whole)) {
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + read));
        stream.avail_in = static_cast<uInt>(std::min(most, packed.size() - read));
        stream.next_out = reinterpret_cast<Bytef*>(to + written);
        stream.avail_out = static_cast<uInt>(std::min(most, room - written));
        const uInt in = stream.avail_in, out = stream.avail_out;
        status = inflate(&stream, Z_NO_FLUSH);
        read += in - stream.avail_in;
        written += out - stream.avail_out;
        if (status == Z_OK && in == stream.avail_in && out == stream.avail_out) status = Z_BUF_ERROR;
    }
    inflateEnd(&stream);
    const bool good = status == Z_STREAM_END || (!whole && status == Z_OK && written == room);
    return good ? std::optional(written) : std::nullopt;
}

}  // namespace

std::vector<zip_member> read_zip_directory(std::string_view archive, const std::string& who) {
    const directory found = find_directory(archive, who);
    std::vector<zip_member> members;
    std::uint64_t at = found.offset;
    for (std::uint64_t i = 0; i < found.count; ++i) members.push_back(read_member(archive, at, who));
    return members;
}

std::string_view unpack(const zip_member& member, std::size_t most, std::unique_ptr<char[]>& unpacked,
                        const std::string& who) {
    const std::size_t wanted = std::min(member.size, most);
    const bool whole = wanted == member.size;
    std::string_view content = member.packed.substr(0, std::min(wanted, member.packed.size()));
    if (member.deflated) {
        unpacked = std::make_unique_for_overwrite<char[]>(wanted + 1);  // zlib wants an address, even for no bytes
        const auto bytes = inflate_into(unpacked.get(), wanted, member.packed, whole);
        if (bytes != wanted) throw damaged(who, "its deflated bytes make no sense");
        content = {unpacked.get(), wanted};
    }
    if (whole && checksum_of(content.data(), content.size()) != member.checksum)
        throw damaged(who, "the checksum differs");
    return content;
}

}  // namespace sinter::codegen
