// External memory as storage: its layout is checked on import, it is read in place, and it is released when nothing
// reads it any more.
#include <codegen/ir/graph.hpp>
#include <codegen/ir/print.hpp>
#include <runtime/devices/device.hpp>
#include <runtime/memory/storage.hpp>
#include <sinter/array.hpp>
#include <sinter/wrap.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace sinter {
namespace codegen {
namespace {

/// Computes the bytes of all elements; throws if these, or the memory that the elements span, are invalid.
void measure(detail::storage& s) {
    const auto size = static_cast<std::int64_t>(size_of(s.type));
    const std::string shape = shape_text(s.extents, s.rank);
    s.bytes = static_cast<std::size_t>(detail::checked_size("wrap", s.extents, s.rank, size));
    if (s.bytes == 0) return;
    std::int64_t reach = 0;
    bool overflow = false;
    for (int a = 0; a < s.rank; ++a) {
        std::int64_t along = 0;
        overflow = __builtin_mul_overflow(s.extents[a] - 1, s.strides[a], &along) || overflow;
        overflow = along == std::numeric_limits<std::int64_t>::min() || overflow;
        overflow = overflow || __builtin_add_overflow(reach, along < 0 ? -along : along, &reach);
    }
    overflow = overflow || __builtin_mul_overflow(reach, size, &reach);
    if (overflow)
        throw error(fmt::format("wrap: shape {} with strides {} spans more than 2^63 - 1 bytes; check both", shape,
                                shape_text(s.strides, s.rank)));
    if (!s.data)
        throw error(fmt::format("wrap: a null pointer for shape {}, which has elements; pass their address", shape));
    if (reinterpret_cast<std::uintptr_t>(s.data) % static_cast<std::size_t>(size) != 0)
        throw error(fmt::format("wrap: the address {} is not aligned to {}, {} bytes; copy the elements instead",
                                s.data, name(s.type), size));
}

}  // namespace

void let_go(detail::storage& s) noexcept {
    // Submitted work may still read the elements, and their owner does not know the order of that work. The parts of a
    // sharded array know theirs.
    if (s.where->as_mesh() == nullptr) {
        try {
            s.where->synchronize();
        } catch (const error&) {  // the failure is reported when its results are read
        }
    }
    s.release(s.owner);
}

}  // namespace codegen

namespace detail {

storage_ref wrap_memory(const foreign_memory& memory, int rank, const std::int64_t* extents,
                        const std::int64_t* strides) {
    storage_ref ref(new storage);
    storage& s = *ref.get();
    s.type = memory.type;
    s.rank = static_cast<std::int8_t>(rank);
    s.owned = false;
    s.writable = memory.writable;
    s.data = memory.data;
    s.where = memory.where;
    codegen::extents all{};
    std::copy_n(extents, rank, all.begin());
    checked_size("wrap", extents, rank, static_cast<std::int64_t>(size_of(memory.type)));
    const codegen::extents row_major = codegen::row_major(all, rank);
    std::copy_n(all.begin(), ir::max_rank, s.extents);
    std::copy_n(strides ? strides : row_major.data(), rank, s.strides);
    codegen::measure(s);
    s.release = memory.release;  // from here on we must call it
    s.owner = memory.owner;
    return ref;
}

}  // namespace detail
}  // namespace sinter
