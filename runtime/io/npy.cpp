// Arrays from and to .npy files.
#include <codegen/ir/print.hpp>
#include <codegen/parallel.hpp>
#include <codegen/rows/dispatch.hpp>
#include <runtime/devices/device.hpp>
#include <runtime/io/file.hpp>
#include <runtime/io/npy.hpp>
#include <runtime/io/reorder.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/order/capture.hpp>
#include <sinter/wrap.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace sinter {
namespace codegen {
namespace {

constexpr std::size_t piece_bytes = std::size_t{16} << 20;  ///< what a staging buffer holds

using buffer = std::unique_ptr<unsigned char[]>;

buffer make_buffer(std::size_t bytes) { return std::make_unique_for_overwrite<unsigned char[]>(bytes); }

const char* cpp_name(dtype d) {
    constexpr const char* names[dtype_count] = {
        "bool",         "std::int8_t",   "std::int16_t",  "std::int32_t",        "std::int64_t",
        "std::uint8_t", "std::uint16_t", "std::uint32_t", "std::uint64_t",       "float16",
        "bfloat16",     "float",         "double",        "std::complex<float>", "std::complex<double>"};
    return names[static_cast<int>(d)];
}

/// The number of bytes the elements take; what is in the file must agree.
std::size_t checked_bytes(const npy_header& header, std::size_t file_bytes, const std::string& who) {
    const int rank = static_cast<int>(header.info.shape.size());
    const std::string shape = shape_text(header.info.shape.data(), rank);
    std::int64_t bytes = static_cast<std::int64_t>(size_of(header.info.type));
    bool overflow = false;
    for (std::int64_t n : header.info.shape) overflow = __builtin_mul_overflow(bytes, n, &bytes) || overflow;
    // An extent of 0 further right may undo an overflow; then nothing is stored.
    if (std::find(header.info.shape.begin(), header.info.shape.end(), 0) != header.info.shape.end())
        bytes = 0;
    else if (overflow)
        throw error(
            fmt::format("{}: damaged header: shape {} has more bytes than 63 bits count; write the file again "
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

/// Throws unless the file's array is one of type T and the asked rank.
void check_kind(const npy_info& info, dtype type, int rank, const std::string& who) {
    const int have = static_cast<int>(info.shape.size());
    const std::string function = who.substr(0, who.find(':'));
    if (have != rank)
        throw error(fmt::format("{}: holds shape {}, rank {}; asked for rank {}; {}", who,
                                shape_text(info.shape.data(), have), have, rank,
                                have <= max_rank ? fmt::format("say {}<{}, {}>(...)", function, cpp_name(type), have)
                                                 : fmt::format("arrays have at most {} axes: reshape it", max_rank)));
    if (!assignable(type, info.type))
        throw error(
            fmt::format("{}: holds {}; asked for {}, a lower kind; say {}<{}, {}>(...), and convert with "
                        "astype<{}>(...)",
                        who, name(info.type), name(type), function, cpp_name(info.type), have, cpp_name(type)));
}

bool is_aligned(const void* p, std::size_t size) { return reinterpret_cast<std::uintptr_t>(p) % size == 0; }

bool any_above_one(const unsigned char* bytes, std::size_t n) {
    unsigned char all = 0;
    for (std::size_t i = 0; i < n; ++i) all |= bytes[i];
    return all > 1;
}

/// Copies n aligned, native elements to the storage, converting: on the host in place, else through a staging buffer.
void convert_to(const detail::storage& to, const void* from, dtype from_type, std::size_t n) {
    const detail::map_loop convert = cast_loop(to.type, from_type);
    const std::size_t to_size = size_of(to.type), from_size = size_of(from_type);
    const auto convert_range = [&](unsigned char* out, std::size_t begin, std::size_t end) {
        parallel_loop(static_cast<std::int64_t>(end - begin), 1 << 16, [&](std::int64_t first, std::int64_t last) {
            const auto at = static_cast<std::size_t>(first);
            const void* in = static_cast<const unsigned char*>(from) + (begin + at) * from_size;
            convert(out + at * to_size, &in, static_cast<std::size_t>(last - first));
        });
    };
    if (to.where->is_host()) return convert_range(static_cast<unsigned char*>(to.data), 0, n);
    const std::size_t step = std::min(n, piece_bytes / to_size);
    const buffer staging = make_buffer(step * to_size);
    for (std::size_t begin = 0; begin < n; begin += step) {
        const std::size_t end = std::min(n, begin + step);
        convert_range(staging.get(), begin, end);
        to.where->copy_from_host(static_cast<unsigned char*>(to.data) + begin * to_size, staging.get(),
                                 (end - begin) * to_size);
    }
}

}  // namespace

npy_header checked_npy_header(std::string_view content, std::size_t file_bytes, const std::string& who) {
    npy_header header = parse_npy_header(content, who);
    checked_bytes(header, file_bytes, who);
    return header;
}

detail::storage_ref read_npy(std::string_view content, dtype type, int rank, const std::string& who) {
    const npy_header header = parse_npy_header(content, who);
    const npy_info& info = header.info;
    const std::size_t bytes = checked_bytes(header, content.size(), who);
    check_kind(info, type, rank, who);

    detail::storage_ref values = detail::make_storage(type, rank, info.shape.data());
    if (bytes == 0) return values;
    const unsigned char* elements = reinterpret_cast<const unsigned char*>(content.data()) + header.bytes;
    const std::size_t size = size_of(info.type);

    buffer ordered;
    const bool column_major = info.fortran_order && rank > 1;
    if (column_major || header.swapped || !is_aligned(elements, size)) {
        const bool in_place = values->where->is_host() && info.type == type && type != dtype::bool_;
        if (!in_place) ordered = make_buffer(bytes);
        void* to = in_place ? values->data : ordered.get();
        reorder(to, elements, size, info.shape, column_major, header.swapped ? size_of(real_of(info.type)) : 0);
        if (in_place) return values;
        elements = ordered.get();
    }
    if (info.type == dtype::bool_ && any_above_one(elements, bytes)) {
        // Such bytes are no bool to C++; NumPy takes them for True, and so does a conversion from uint8.
        buffer bools = make_buffer(bytes);
        const void* in = elements;
        cast_loop(dtype::bool_, dtype::uint8)(bools.get(), &in, bytes);
        ordered = std::move(bools);
        elements = ordered.get();
    }
    if (info.type == type)
        detail::copy_from_host(values, elements);
    else
        convert_to(*values.get(), elements, info.type, bytes / size);
    return values;
}

void write_npy(const detail::storage_ref& values, const std::string& who, const byte_sink& sink) {
    if (values->type == dtype::bfloat16)
        throw error(who + ": the format has no bfloat16; save astype<float>(a), which holds the same values");
    const std::string header = format_npy_header(values->type, values->extents, values->rank);
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
    const std::string who = "inspect_npy: " + path;
    const codegen::mapped_file file(path, who);
    return codegen::checked_npy_header(file.content(), file.content().size(), who).info;
}

namespace detail {

storage_ref load_npy(const std::string& path, dtype type, int rank) {
    codegen::refuse_in_capture("load_npy()");
    const std::string who = "load_npy: " + path;
    const codegen::mapped_file file(path, who);
    return codegen::read_npy(file.content(), type, rank, who);
}

storage_ref map_npy(const std::string& path, dtype type, int rank) {
    codegen::refuse_in_capture("map_npy()");
    const std::string who = "map_npy: " + path;
    auto file = std::make_unique<codegen::mapped_file>(path, who);
    const codegen::npy_header header = codegen::checked_npy_header(file->content(), file->content().size(), who);
    codegen::check_kind(header.info, type, rank, who);
    const char* elements = file->content().data() + header.bytes;
    codegen::device& where = current_device().get();
    // What must be converted, or moved to another device, is copied anyway.
    const bool as_it_lies = where.is_host() && header.info.type == type && !header.swapped && type != dtype::bool_ &&
                            codegen::is_aligned(elements, size_of(type));
    if (!as_it_lies) return codegen::read_npy(file->content(), type, rank, who);

    std::vector<std::int64_t> strides(header.info.shape.size());
    std::int64_t step = 1;
    for (std::size_t i = 0; i < strides.size(); ++i) {
        const std::size_t a = header.info.fortran_order ? i : strides.size() - 1 - i;
        strides[a] = step;
        step *= header.info.shape[a];
    }
    foreign_memory memory{const_cast<char*>(elements), type, &where, false};
    memory.owner = file.get();
    memory.release = [](void* mapping) { delete static_cast<codegen::mapped_file*>(mapping); };
    storage_ref values = wrap_memory(memory, rank, header.info.shape.data(), strides.data());
    static_cast<void>(file.release());
    return values;
}

void save_npy(const std::string& path, const storage_ref& values) {
    codegen::refuse_in_capture("save_npy()");
    const std::string who = "save_npy: " + path;
    codegen::replacement_file file(path, who);
    codegen::write_npy(values, who, [&](const void* data, std::size_t bytes) { file.write(data, bytes); });
    file.commit();
}

}  // namespace detail
}  // namespace sinter
