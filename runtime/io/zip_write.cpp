// Writes zip archives. All sizes are written as zip64, so members of 4 GiB and more need no special case; sizes and
// checksum are filled in once known.
#include <runtime/io/checksum.hpp>
#include <runtime/io/zip.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace sinter::codegen {
namespace {

constexpr std::size_t chunk = std::size_t{256} << 10;
constexpr int version = 45;            ///< format version 4.5, the first with zip64
constexpr int first_day = 1 << 5 | 1;  ///< 1 January 1980: equal arrays give equal archives

void number(std::string& to, std::uint64_t n, int bytes) {
    for (int i = 0; i < bytes; ++i) to += static_cast<char>(n >> (8 * i) & 0xff);
}

/// The fields shared by a member's header and its directory entry, from the version on.
void common_fields(std::string& to, const std::string& name, bool deflated, std::uint32_t checksum, int extra_bytes) {
    const bool ascii = std::none_of(name.begin(), name.end(), [](char c) { return (c & 0x80) != 0; });
    number(to, version, 2);
    number(to, ascii ? 0 : 1 << 11, 2);  // the flag: the name is UTF-8
    number(to, deflated ? Z_DEFLATED : 0, 2);
    number(to, 0, 2);
    number(to, first_day, 2);
    number(to, checksum, 4);
    number(to, 0xffffffff, 4);  // both sizes are in the extra field
    number(to, 0xffffffff, 4);
    number(to, name.size(), 2);
    number(to, static_cast<std::uint64_t>(extra_bytes), 2);
}

}  // namespace

struct zip_writer::packer {
    z_stream stream{};
    std::unique_ptr<Bytef[]> out = std::make_unique_for_overwrite<Bytef[]>(chunk);
    packer() {
        if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::bad_alloc();
    }
    ~packer() { deflateEnd(&stream); }
};

zip_writer::zip_writer(replacement_file& file, bool deflate) : file_(file), deflate_(deflate) {}
zip_writer::~zip_writer() = default;

void zip_writer::put(const void* data, std::size_t bytes) {
    file_.write(data, bytes);
    position_ += bytes;
}

void zip_writer::begin(const std::string& name) {
    members_.push_back({name, position_});
    std::string head = "PK\x03\x04";
    common_fields(head, name, deflate_, 0, 20);
    head += name;
    number(head, 1, 2);  // the zip64 extra field
    number(head, 16, 2);
    number(head, 0, 8);
    number(head, 0, 8);
    put(head.data(), head.size());
    if (deflate_) packer_ = std::make_unique<packer>();
}

void zip_writer::pack(const void* data, std::size_t bytes, bool last) {
    z_stream& stream = packer_->stream;
    const auto* next = static_cast<const Bytef*>(data);
    do {
        const std::size_t n = std::min(bytes, std::size_t{std::numeric_limits<uInt>::max()});
        stream.next_in = const_cast<Bytef*>(next);
        stream.avail_in = static_cast<uInt>(n);
        next += n;
        bytes -= n;
        do {
            stream.next_out = packer_->out.get();
            stream.avail_out = chunk;
            deflate(&stream, last && bytes == 0 ? Z_FINISH : Z_NO_FLUSH);
            put(packer_->out.get(), chunk - stream.avail_out);
        } while (stream.avail_out == 0);
    } while (bytes > 0);
}

void zip_writer::write(const void* data, std::size_t bytes) {
    written& m = members_.back();
    m.checksum = checksum_of(data, bytes, m.checksum);
    m.size += bytes;
    if (deflate_)
        pack(data, bytes, false);
    else
        put(data, bytes);
}

void zip_writer::end() {
    if (deflate_) pack("", 0, true);
    packer_.reset();
    written& m = members_.back();
    const std::uint64_t head_bytes = 30 + m.name.size() + 20;
    m.packed = position_ - m.offset - head_bytes;
    std::string checksum, sizes;
    number(checksum, m.checksum, 4);
    number(sizes, m.size, 8);
    number(sizes, m.packed, 8);
    file_.write_over(m.offset + 14, checksum.data(), checksum.size());
    file_.write_over(m.offset + head_bytes - 16, sizes.data(), sizes.size());
}

void zip_writer::finish() {
    const std::uint64_t offset = position_;
    for (const written& m : members_) {
        std::string entry = "PK\x01\x02";
        number(entry, version, 2);  // written by
        common_fields(entry, m.name, deflate_, m.checksum, 28);
        number(entry, 0, 2);  // no comment, disk 0, no attributes
        number(entry, 0, 2);
        number(entry, 0, 2);
        number(entry, 0, 4);
        number(entry, 0xffffffff, 4);  // the offset is in the extra field
        entry += m.name;
        number(entry, 1, 2);
        number(entry, 24, 2);
        number(entry, m.size, 8);
        number(entry, m.packed, 8);
        number(entry, m.offset, 8);
        put(entry.data(), entry.size());
    }
    const std::uint64_t wide_end = position_, bytes = wide_end - offset, count = members_.size();
    std::string end;
    if (count > 0) {  // readers recognise an empty archive by its first bytes, which must be the old end record
        end += "PK\x06\x06";
        number(end, 44, 8);  // remaining bytes of this record
        number(end, version, 2);
        number(end, version, 2);
        number(end, 0, 4);
        number(end, 0, 4);
        number(end, count, 8);
        number(end, count, 8);
        number(end, bytes, 8);
        number(end, offset, 8);
        end += "PK\x06\x07";  // locator of the record above
        number(end, 0, 4);
        number(end, wide_end, 8);
        number(end, 1, 4);
    }
    const std::uint64_t wide = count > 0 ? ~std::uint64_t{0} : 0;  // all ones: see the record above
    end += "PK\x05\x06";
    number(end, 0, 4);
    number(end, wide, 2);
    number(end, wide, 2);
    number(end, wide, 4);
    number(end, wide, 4);
    number(end, 0, 2);
    put(end.data(), end.size());
}

}  // namespace sinter::codegen
