// Storage: made on a device, copied between devices, freed with its last reference.
#include <codegen/ir/graph.hpp>
#include <runtime/devices/device.hpp>
#include <runtime/memory/copy.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/order/order.hpp>
#include <sinter/host_span.hpp>

#include <algorithm>

namespace sinter {
namespace codegen {

detail::storage_ref make_storage_on(device& where, dtype type, int rank, const std::int64_t* shape) {
    const std::int64_t bytes = detail::checked_size("array", shape, rank, static_cast<std::int64_t>(size_of(type)));

    detail::storage_ref ref(new detail::storage);
    detail::storage& s = *ref.get();
    s.type = type;
    s.rank = static_cast<std::int8_t>(rank);
    s.where = &where;
    extents all{};
    std::copy_n(shape, rank, all.begin());
    const extents strides = row_major(all, rank);
    std::copy_n(all.begin(), ir::max_rank, s.extents);
    std::copy_n(strides.begin(), ir::max_rank, s.strides);
    if (bytes > 0) s.data = where.allocate(static_cast<std::size_t>(bytes));
    if (capture* const c = where.recording())
        c->keep(s, true);
    else
        s.uses.store(stream_uses::only(where.stream_now()).bits(), std::memory_order_relaxed);
    s.bytes = s.reserved = static_cast<std::size_t>(bytes);
    return ref;
}

void require_operands(const ir::program& program, const detail::arguments_view& arguments) {
    for (int i = 0; i < program.leaves; ++i)
        if (!arguments.leaves[i])
            throw error("an expression that was moved from has no operands any more; copy it where it is used again");
}

}  // namespace codegen

namespace detail {

storage_ref make_storage(dtype type, int rank, const std::int64_t* extents) {
    return codegen::make_storage_on(current_device().get(), type, rank, extents);
}

void drop_keeper(storage* s) noexcept {
    // If the count is 1, this keeper is the last: a graph becomes a keeper only through a reference or a keeper.
    if (s->keepers.load(std::memory_order_acquire) > 1 && s->keepers.fetch_sub(1, std::memory_order_acq_rel) > 1)
        return;
    const auto uses = codegen::stream_uses::of_bits(s->uses.load(std::memory_order_relaxed));
    if (s->owned && s->data) s->where->deallocate(s->data, s->reserved, uses);
    if (s->release) codegen::let_go(*s);
    delete s;
}

storage_ref first_elements(storage_ref vector, std::int64_t count) {
    storage& s = *vector.get();
    const std::size_t bytes = static_cast<std::size_t>(count) * size_of(s.type);
    // not by half: of many masks about half is true, so that chance would decide
    if (3 * bytes >= s.reserved) {
        s.extents[0] = count;
        s.bytes = bytes;
        return vector;
    }
    codegen::order_read(s);
    storage_ref own = codegen::make_storage_on(*s.where, s.type, 1, &count);
    if (bytes > 0) s.where->copy_within(own->data, s.data, bytes);
    return own;
}

void copy_from_host(const storage_ref& to, const void* from) {
    codegen::refuse_in_capture("copies from the host");
    codegen::order_write(*to.get());
    if (to->bytes) to->where->copy_from_host(to->data, from, to->bytes);
}

void copy_to_host(void* to, const storage_ref& from) {
    codegen::refuse_in_capture("to_host() and item()");
    codegen::order_read(*from.get());
    if (from->bytes) from->where->copy_to_host(to, dense(from)->data, from->bytes);
}

storage_ref copy_to_device(const storage_ref& from, codegen::device& to) {
    if (from->where == &to) return from;
    codegen::refuse_in_capture("copies between devices");
    storage_ref moved = codegen::make_storage_on(to, from->type, from->rank, from->extents);
    if (from->bytes == 0) return moved;
    const storage_ref rows = dense(from);
    codegen::order_read(*rows.get());
    codegen::copy_between(to, moved->data, *from->where, rows->data, from->bytes);
    return moved;
}

storage_ref host_elements(const storage_ref& s) {
    codegen::refuse_in_capture("host_view()");
    s->where->synchronize();
    return dense(copy_to_device(s, host().get()));
}

}  // namespace detail
}  // namespace sinter
