// Loads and saves arrays as .npy files.
#include <codegen/ir/print.hpp>
#include <runtime/devices/device.hpp>
#include <runtime/host/instruction_set.hpp>
#include <runtime/io/file.hpp>
#include <runtime/io/npy.hpp>
#include <runtime/io/reorder.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/system/parallel.hpp>
#include <sinter/wrap.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace sinter {
namespace codegen {
namespace {

constexpr std::size_t piece_bytes = std::size_t{16} << 20;  ///< size of a staging buffer

using buffer = std::unique_ptr<unsigned char[]>;

buffer make_buffer(std::size_t bytes) { return std::make_unique_for_overwrite<unsigned char[]>(bytes); }

const char* cpp_name(dtype d) {
    constexpr const char* names[dtype_count] = {
        "bool",          "std::int8_t",   "std::int16_t",  "std::int32_t",        "std::int64_t",        "std::uint8_t",
        "std::uint16_t", "std::uint32_t", "std::uint64_t", "float8_e4m3",         "float8_e5m2",         "float16",
        "bfloat16",      "float",         "double",        "std::complex<float>", "std::complex<double>"};
    return names[static_cast<int>(d)];
}

/// The byte count of the elements; throws unless the file's size matches.
std::size_t checked_bytes(const npy_header& header, std::size_t file_bytes, const std::string& who) {
    const int rank = static_cast<int>(header.info.shape.size());
    const std::string shape = shape_text(header.info.shape.data(), rank);
    const std::int64_t bytes =
        detail::product_of(header.info.shape.data(), rank, static_cast<std::int64_t>(size_of(header.info.type)));
    if (bytes < 0)
        throw error(
            fmt::format("{}: damaged header: shape {} has more than 2^63 - 1 bytes; write the file again "
                        "with np.save",
                        who, shape));
    const std::size_t have = file_bytes - header.bytes;
    const std::size_t need = static_cast<std::size_t>(bytes);
    if (have != need)
        throw error(fmt::format(
            "{}: {}: shape {} of {} takes {} bytes, and the file holds {}; copy or write the file again", who,
            have < need ? "cut short" : "bytes follow the elements", shape, name(header.info.type), need, have));
    return need;
}

/// Converts aligned, native elements to those of the storage from `first` on: on the host in place, else through a
/// staging buffer.
void convert_to(const detail::storage& to, std::size_t first, const void* from, dtype from_type, std::size_t count) {
    const detail::map_loop convert = cast_loop(to.type, from_type, host_instruction_set());
    const std::size_t to_size = size_of(to.type), from_size = size_of(from_type);
    auto* const out = static_cast<unsigned char*>(to.data) + first * to_size;
    const buffer staging = to.where->is_host() ? nullptr : make_buffer(count * to_size);
    unsigned char* const made = staging ? staging.get() : out;
    parallel_loop(static_cast<std::int64_t>(count), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        const auto at = static_cast<std::size_t>(begin);
        const void* in = static_cast<const unsigned char*>(from) + at * from_size;
        convert(made + at * to_size, &in, static_cast<std::size_t>(end - begin));
    });
    if (staging) to.where->copy_from_host(out, made, count * to_size);
}

/// Reads a file's elements into an array.
class element_reader {
public:
    element_reader(const byte_source& file, const npy_header& header, const detail::storage& to)
        : file_(file), header_(header), to_(to) {}

    void read() {
        const npy_info& info = header_.info;
        std::size_t count = 1;
        for (const std::int64_t n : info.shape) count *= static_cast<std::size_t>(n);
        const bool in_place = to_.where->is_host() && info.type == to_.type;
        if (info.fortran_order && info.shape.size() > 1) {
            const buffer ordered = in_place ? nullptr : make_buffer(count * size_);
            read_columns(in_place ? to_.data : ordered.get());
            if (!in_place) put(0, ordered.get(), count);
            return;
        }
        const std::size_t step = std::min(count, piece_bytes / size_);
        const buffer staging = in_place ? nullptr : make_buffer(step * size_);
        for (std::size_t first = 0; first < count; first += step) {
            const std::size_t n = std::min(step, count - first);
            void* const piece = in_place ? static_cast<unsigned char*>(to_.data) + first * size_ : staging.get();
            take(piece, n);
            if (!in_place) put(first, piece, n);
        }
    }

private:
    /// Reads the next elements, with native byte order and valid C++ bools.
    void take(void* to, std::size_t count) {
        file_(to, count * size_);
        if (header_.swapped) swap_bytes(to, count * size_, size_of(real_of(header_.info.type)));
        // Bytes other than 0 and 1 are invalid C++ bools; NumPy reads them as True.
        auto* const bytes = static_cast<unsigned char*>(to);
        if (header_.info.type == dtype::bool_)
            for (std::size_t i = 0; i < count; ++i) bytes[i] = bytes[i] != 0;
    }

    /// Converts column-major elements to row-major: a range of indices along the last axis at a time, which is the
    /// file's slowest.
    void read_columns(void* to) {
        const std::vector<std::int64_t>& shape = header_.info.shape;
        std::size_t column = 1;
        for (std::size_t a = 0; a + 1 < shape.size(); ++a) column *= static_cast<std::size_t>(shape[a]);
        constexpr std::size_t fewest = 32;  // so that whole cache lines of the result are written
        const auto columns = static_cast<std::size_t>(shape.back());
        const std::size_t step = std::min(columns, std::max(fewest, piece_bytes / (column * size_)));
        const buffer staging = make_buffer(step * column * size_);
        for (std::size_t first = 0; first < columns; first += step) {
            const std::size_t n = std::min(step, columns - first);
            take(staging.get(), n * column);
            transpose_columns(to, staging.get(), size_, shape, static_cast<std::int64_t>(first),
                              static_cast<std::int64_t>(n));
        }
    }

    void put(std::size_t first, const void* from, std::size_t count) {
        const npy_info& info = header_.info;
        if (info.type == to_.type)
            return to_.where->copy_from_host(static_cast<unsigned char*>(to_.data) + first * size_, from,
                                             count * size_);
        const std::size_t step = std::max<std::size_t>(1, piece_bytes / size_);
        for (std::size_t at = 0; at < count; at += step)
            convert_to(to_, first + at, static_cast<const unsigned char*>(from) + at * size_, info.type,
                       std::min(step, count - at));
    }

    const byte_source& file_;
    const npy_header& header_;
    const detail::storage& to_;
    const std::size_t size_ = size_of(header_.info.type);
};

}  // namespace

/// Throws unless the file's array has a dtype assignable to T and the requested rank.
void check_kind(const npy_info& info, dtype type, int rank, const std::string& who) {
    const int have = static_cast<int>(info.shape.size());
    const std::string function = who.substr(0, who.find(':'));
    if (have != rank)
        throw error(fmt::format("{}: holds shape {}, rank {}; asked for rank {}; {}", who,
                                shape_text(info.shape.data(), have), have, rank,
                                have <= max_rank ? fmt::format("write {}<{}, {}>(...)", function, cpp_name(type), have)
                                                 : fmt::format("arrays have at most {} axes: reshape it", max_rank)));
    if (!assignable(type, info.type))
        throw error(fmt::format(
            "{}: holds {}; asked for {}, a lower kind; write {}<{}, {}>(...), and convert with astype<{}>(...)", who,
            name(info.type), name(type), function, cpp_name(info.type), have, cpp_name(type)));
}

npy_header read_npy_header(const byte_source& file, std::size_t file_bytes, const std::string& who) {
    std::string head(std::min(file_bytes, npy_prefix_bytes), '\0');
    file(head.data(), head.size());
    const std::size_t wanted = std::min(file_bytes, npy_header_bytes(head));
    if (const std::size_t have = head.size(); have < wanted) {
        head.resize(wanted);
        file(head.data() + have, wanted - have);
    }
    npy_header header = parse_npy_header(head, who);
    checked_bytes(header, file_bytes, who);
    return header;
}

detail::storage_ref read_npy(const byte_source& file, std::size_t file_bytes, dtype type, int rank,
                             const std::string& who) {
    const npy_header header = read_npy_header(file, file_bytes, who);
    check_kind(header.info, type, rank, who);
    detail::storage_ref values = detail::make_storage(type, rank, header.info.shape.data());
    if (values->bytes > 0) element_reader(file, header, *values.get()).read();
    return values;
}

void write_npy(const detail::storage_ref& values, const std::string& who, const byte_sink& sink) {
    const std::string header = format_npy_header(values->type, values->extents, values->rank, who);
    sink(header.data(), header.size());
    const detail::storage_ref rows = dense(values);
    rows->where->synchronize();
    if (rows->where->is_host()) return sink(rows->data, rows->bytes);
    const std::size_t step = std::min(rows->bytes, piece_bytes);
    const buffer staging = make_buffer(step);
    for (std::size_t begin = 0; begin < rows->bytes; begin += step) {
        const std::size_t n = std::min(step, rows->bytes - begin);
        rows->where->copy_to_host(staging.get(), static_cast<unsigned char*>(rows->data) + begin, n);
        sink(staging.get(), n);
    }
}

}  // namespace codegen

npy_info inspect_npy(const std::string& path) {
    const std::string who = codegen::about_file("inspect_npy", path);
    const codegen::input_file file(path, who);
    return codegen::read_npy_header(file.from(0), file.size(), who).info;
}

namespace detail {

storage_ref load_npy(const std::string& path, dtype type, int rank) {
    codegen::refuse_in_capture("load_npy()");
    const std::string who = codegen::about_file("load_npy", path);
    const codegen::input_file file(path, who);
    return codegen::read_npy(file.from(0), file.size(), type, rank, who);
}

storage_ref map_npy(const std::string& path, dtype type, int rank) {
    codegen::refuse_in_capture("map_npy()");
    const std::string who = codegen::about_file("map_npy", path);
    const codegen::input_file file(path, who);
    const codegen::npy_header header = codegen::read_npy_header(file.from(0), file.size(), who);
    codegen::check_kind(header.info, type, rank, who);
    codegen::device& where = current_device().get();
    // Data that must be converted, or moved to another device, is copied anyway.
    const bool as_it_lies = where.is_host() && header.info.type == type && !header.swapped && type != dtype::bool_ &&
                            header.bytes % size_of(type) == 0;  // mappings are page-aligned
    if (!as_it_lies) return codegen::read_npy(file.from(0), file.size(), type, rank, who);

    auto mapping = std::make_unique<codegen::mapped_file>(file);
    const char* elements = mapping->content().data() + header.bytes;
    std::vector<std::int64_t> strides(header.info.shape.size());
    std::int64_t step = 1;
    for (std::size_t i = 0; i < strides.size(); ++i) {
        const std::size_t a = header.info.fortran_order ? i : strides.size() - 1 - i;
        strides[a] = step;
        step *= header.info.shape[a];
    }
    foreign_memory memory{const_cast<char*>(elements), type, &where, false};
    memory.owner = mapping.get();
    memory.release = [](void* mapped) { delete static_cast<codegen::mapped_file*>(mapped); };
    storage_ref values = wrap_memory(memory, rank, header.info.shape.data(), strides.data());
    static_cast<void>(mapping.release());
    return values;
}

void save_npy(const std::string& path, const storage_ref& values) {
    codegen::refuse_in_capture("save_npy()");
    const std::string who = codegen::about_file("save_npy", path);
    codegen::replacement_file file(path, who);
    codegen::write_npy(values, who, [&](const void* data, std::size_t bytes) { file.write(data, bytes); });
    file.commit();
}

}  // namespace detail
}  // namespace sinter
