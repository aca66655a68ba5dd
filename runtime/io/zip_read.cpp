// The reading side of zip archives. Every offset and size of the file is checked before it is used.
#include <codegen/support/printable.hpp>
#include <runtime/io/checksum.hpp>
#include <runtime/io/zip.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <set>

namespace sinter::codegen {
namespace {

constexpr std::uint32_t local_mark = 0x04034b50, member_mark = 0x02014b50, end_mark = 0x06054b50,
                        wide_end_mark = 0x06064b50, wide_locator_mark = 0x07064b50;
constexpr std::size_t local_bytes = 30, member_bytes = 46, end_bytes = 22, wide_end_bytes = 56, locator_bytes = 20;
constexpr std::size_t longest_comment = 0xffff;
constexpr std::uint64_t in_extra_field = 0xffffffff;  ///< marks a 32-bit field whose 64-bit value is elsewhere

error damaged(const std::string& who, const std::string& what) {
    return error(
        fmt::format("{}: damaged archive: {}; copy the file again, or write it again with np.savez", who, what));
}

/// Little-endian numbers at offsets into a range of the archive, which must contain them.
class fields {
public:
    fields(std::string_view content, std::size_t at, std::size_t bytes, const std::string& who) {
        if (at > content.size() || content.size() - at < bytes) throw damaged(who, "it is cut short");
        text_ = content.substr(at, bytes);
    }
    fields(const input_file& archive, std::uint64_t at, std::size_t bytes, const std::string& who) {
        if (at > archive.size() || archive.size() - at < bytes) throw damaged(who, "it is cut short");
        text_ = archive.text(at, bytes);
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
    std::string text_;
};

struct directory {
    std::uint64_t offset = 0, count = 0;
};

/// Finds the directory from the record at the archive's end, which a comment may follow.
directory find_directory(const input_file& archive, const std::string& who) {
    const std::uint32_t mark = archive.size() < 4 ? 0 : fields(archive, 0, 4, who).u32(0);
    if (mark != local_mark && mark != end_mark)
        throw error(fmt::format("{}: not a .npz archive: it does not begin like a zip file; np.savez writes one", who));
    const std::size_t tail_bytes = std::min(archive.size(), end_bytes + longest_comment);
    const std::size_t tail_begin = archive.size() - tail_bytes;
    const std::string tail = archive.text(tail_begin, tail_bytes);
    for (std::size_t at = tail_bytes < end_bytes ? 0 : tail_bytes - end_bytes + 1; at-- > 0;) {
        const fields end(tail, at, end_bytes, who);
        if (end.u32(0) != end_mark || end.u16(20) != tail_bytes - at - end_bytes) continue;
        directory found{end.u32(16), end.u16(10)};
        if (tail_begin + at >= locator_bytes) {
            const fields locator(archive, tail_begin + at - locator_bytes, locator_bytes, who);
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

/// Replaces numbers that exceed 32 bits by those of extra field 1 (zip64).
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

/// A member's byte range in the archive, including its header.
struct extent_of_member {
    std::uint64_t begin = 0, end = 0;
};

zip_member read_member(const input_file& archive, std::uint64_t& at, extent_of_member& lies, const std::string& who) {
    const fields head(archive, at, member_bytes, who);
    if (head.u32(0) != member_mark) throw damaged(who, "its directory has an invalid entry");
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
        throw error(
            fmt::format("{}: '{}' is encrypted, which is not supported; decrypt the archive", who, printable(m.name)));
    if (method != 0 && method != Z_DEFLATED)
        throw error(
            fmt::format("{}: '{}' is packed by method {}, which is not supported; write it with np.savez or "
                        "np.savez_compressed",
                        who, printable(m.name), method));
    m.deflated = method == Z_DEFLATED;

    const fields local(archive, offset, local_bytes, who);
    if (local.u32(0) != local_mark) throw damaged(who, "a member is not where its directory says");
    m.begin = offset + local_bytes + local.u16(26) + local.u16(28);
    if (m.begin > archive.size() || packed > archive.size() - m.begin) throw damaged(who, "it is cut short");
    // Deflate expands two bits to at most 258 bytes.
    if (m.deflated ? size / 1032 > packed : size != packed) throw damaged(who, "a member has an impossible size");
    m.packed = static_cast<std::size_t>(packed);
    m.size = static_cast<std::size_t>(size);
    lies = {offset, m.begin + packed};
    return m;
}

/// Throws if members overlap each other or the directory: a small file could otherwise unpack to any size.
void check_overlap(std::vector<extent_of_member> all, std::uint64_t directory, const std::string& who) {
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].end > (i + 1 < all.size() ? all[i + 1].begin : directory)) throw damaged(who, "its members overlap");
}

void check_names(const std::vector<zip_member>& members, const std::string& who) {
    std::set<std::string_view> names;
    for (const zip_member& m : members)
        if (!names.insert(m.name).second)
            throw damaged(who, fmt::format("two members are called '{}'", printable(m.name)));
}

}  // namespace

std::vector<zip_member> read_zip_directory(const input_file& archive, const npz_limits& limits,
                                           const std::string& who) {
    const directory found = find_directory(archive, who);
    if (found.count > static_cast<std::uint64_t>(std::max<std::int64_t>(limits.max_entries, 0)))
        throw error(
            fmt::format("{}: has {} members, more than the limit of {}; raise npz_limits::max_entries for an archive "
                        "that you trust",
                        who, found.count, limits.max_entries));
    std::vector<zip_member> members;
    std::vector<extent_of_member> lie;
    std::uint64_t at = found.offset;
    for (std::uint64_t i = 0; i < found.count; ++i)
        members.push_back(read_member(archive, at, lie.emplace_back(), who));
    check_overlap(std::move(lie), found.offset, who);
    check_names(members, who);
    return members;
}

struct zip_reader::inflater {
    static constexpr std::size_t chunk = std::size_t{256} << 10;
    z_stream stream{};
    std::unique_ptr<char[]> in = std::make_unique_for_overwrite<char[]>(chunk);
    bool at_end = false;
    inflater() {
        if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
    }
    ~inflater() { inflateEnd(&stream); }
};

zip_reader::zip_reader(const input_file& archive, const zip_member& member, const std::string& who)
    : archive_(archive), member_(member), who_(who), at_(member.begin), left_(member.packed) {
    if (member.deflated) inflater_ = std::make_unique<inflater>();
}
zip_reader::~zip_reader() = default;

/// Unpacks to the stream's output; returns whether there was anything to do.
bool zip_reader::inflate_more() {
    z_stream& stream = inflater_->stream;
    if (stream.avail_in == 0 && left_ > 0) {
        const std::size_t n = std::min(left_, inflater::chunk);
        archive_.read(at_, inflater_->in.get(), n);
        at_ += n;
        left_ -= n;
        stream.next_in = reinterpret_cast<Bytef*>(inflater_->in.get());
        stream.avail_in = static_cast<uInt>(n);
    }
    const int status = inflater_->at_end ? Z_BUF_ERROR : inflate(&stream, Z_NO_FLUSH);
    inflater_->at_end = inflater_->at_end || status == Z_STREAM_END;
    return status == Z_OK || status == Z_STREAM_END;
}

void zip_reader::inflate_into(char* to, std::size_t bytes) {
    z_stream& stream = inflater_->stream;
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = static_cast<uInt>(bytes);
    while (stream.avail_out > 0)
        if (!inflate_more()) throw damaged(who_, "its compressed data are invalid");
}

void zip_reader::read(void* to, std::size_t bytes) {
    constexpr std::size_t piece = std::size_t{16} << 20;  // checksummed while still in a cache
    if (bytes > member_.size - given_) throw damaged(who_, "a member is cut short");
    given_ += bytes;
    auto* next = static_cast<char*>(to);
    while (bytes > 0) {
        const std::size_t n = std::min(bytes, piece);
        if (inflater_) {
            inflate_into(next, n);
        } else {
            archive_.read(at_, next, n);
            at_ += n;
        }
        checksum_ = checksum_of(next, n, checksum_);
        next += n;
        bytes -= n;
    }
}

void zip_reader::finish() {
    // With no output room: only the end mark may be left.
    while (inflater_ && !inflater_->at_end)
        if (!inflate_more()) throw damaged(who_, "its compressed data are invalid");
    if (given_ != member_.size || checksum_ != member_.checksum) throw damaged(who_, "the checksum differs");
}

}  // namespace sinter::codegen
