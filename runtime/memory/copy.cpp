// Copies an array of any strides by evaluating a program of one leaf.
#include <codegen/ir/print.hpp>
#include <runtime/devices/device.hpp>
#include <runtime/memory/copy.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/order/order.hpp>
#include <runtime/system/debug.hpp>
#include <runtime/system/memo_table.hpp>
#include <sinter/error.hpp>
#include <sinter/scoped.hpp>

#include <fmt/format.h>

#include <memory>
#include <vector>

namespace sinter {
namespace codegen {
namespace {

/// The program that copies an array of a given dtype and rank.
struct copy_program {
    ir::node leaf;
    int root = 0;
    ir::program program;
    detail::plan_slot slot;

    copy_program(dtype type, int rank) {
        leaf.what = ir::kind::leaf;
        leaf.type = type;
        leaf.rank = static_cast<std::int8_t>(rank);
        leaf.argument = 0;
        program = {&leaf, 1, &root, 1, 1, 0, 0, 0};
    }
};

copy_program& program_for(dtype type, int rank) {
    static constinit memo_table<std::pair<dtype, int>, copy_program> programs;
    return programs.at({type, rank}, type, rank);
}

}  // namespace

void copy_elements(const detail::storage_ref& from, detail::evaluation_result& to) {
    const detail::scoped<int> unchecked(chosen_checks, checks_of_launches());
    copy_program& copy = program_for(from->type, to.rank);
    detail::evaluate(copy.program, copy.slot, {&from, nullptr, nullptr}, &to);
}

void copy_between(device& to, void* target, device& from, const void* source, std::size_t bytes) {
    if (&to == &from) return to.copy_within(target, source, bytes);
    if (from.is_host()) return to.copy_from_host(target, source, bytes);
    if (to.is_host()) return from.copy_to_host(target, source, bytes);
    if (to.copy_from_peer(target, source, bytes, from)) return;
    std::vector<unsigned char> staging(bytes);
    from.copy_to_host(staging.data(), source, bytes);
    to.copy_from_host(target, staging.data(), bytes);
}

bool is_dense(const detail::storage& s) {
    if (s.owned || s.bytes == 0) return true;
    std::int64_t step = 1;
    for (int a = s.rank - 1; a >= 0; --a) {
        if (s.extents[a] != 1 && s.strides[a] != step) return false;
        step *= s.extents[a];
    }
    return true;
}

void require_dense(const detail::storage& s, const char* who) {
    if (!is_dense(s))
        throw error(
            fmt::format("{}: the array of shape {} wraps memory with strides {}, which is not row-major; use copy(a)",
                        who, shape_text(s.extents, s.rank), shape_text(s.strides, s.rank)));
}

}  // namespace codegen

namespace detail {

storage_ref dense(const storage_ref& s) {
    if (codegen::is_dense(*s.get())) return s;
    evaluation_result copy{s->rank, s->extents};
    codegen::copy_elements(s, copy);
    return std::move(copy.made);
}

storage_ref unshared(const storage_ref& s) {
    storage_ref rows = dense(s);
    if (rows.get() != s.get()) return rows;
    codegen::order_read(*s.get());
    storage_ref own = codegen::make_storage_on(*s->where, s->type, s->rank, s->extents);
    if (s->bytes > 0) s->where->copy_within(own->data, s->data, s->bytes);
    return own;
}

bool is_own(const storage_ref& s) {
    return s->writable && s->references.load(std::memory_order_acquire) == 1 && codegen::is_dense(*s.get());
}

}  // namespace detail
}  // namespace sinter
