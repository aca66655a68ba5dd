// at(x, indices) = values and += values: the loop on the host, or the launches on a device.
#include <codegen/cuda/scatter.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/ir/round.hpp>
#include <runtime/cache/embedded.hpp>
#include <runtime/cache/kernels.hpp>
#include <runtime/host/scatter.hpp>
#include <runtime/launch/checks.hpp>
#include <runtime/launch/elements.hpp>
#include <runtime/launch/named_launch.hpp>
#include <runtime/launch/probe.hpp>
#include <runtime/launch/scatter_sums.hpp>
#include <runtime/memory/copy.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/order/order.hpp>
#include <sinter/at.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace sinter {
namespace codegen {
namespace {

/// The kernels that an operation needs.
std::vector<scatter_kernel> kernels_of(const scatter& s) {
    using enum scatter_kernel;
    if (!s.adds) return {mark, write};
    return {count, scan, place, sums, joins};
}

class scatter_launches {
public:
    scatter_launches(kernel_device& where, const scatter& s)
        : where_(where), s_(s), count_(static_cast<int>(s.count)), extent_(static_cast<int>(s.extent)) {
        const std::vector<scatter_kernel> launched = kernels_of(s);
        std::vector<kernel_request> wanted;
        for (const scatter_kernel k : launched) wanted.push_back(request_for(k));
        make_kernels_ready(where_, wanted);
        for (std::size_t i = 0; i < wanted.size(); ++i)
            ready_[static_cast<int>(launched[i])] = &get_kernel(where_, wanted[i]);
    }

    void put() {
        const detail::storage_ref last = integers(s_.extent);
        where_.fill_zero(last->data, last->bytes);
        launch(scatter_kernel::mark, blocks_of(s_.count), last->data, s_.keys, count_, extent_);
        launch(scatter_kernel::write, blocks_of(s_.count * lanes_), s_.to, last->data, s_.keys, s_.values, count_,
               extent_, s_.inner, lanes_);
    }

    void add() {
        sort();
        const std::int64_t runs = divide_up(s_.count, scatter_run), threads = runs * lanes_;
        const std::int64_t blocks = blocks_of(threads);
        const detail::storage_ref heads = make_storage_on(where_, s_.type, 1, &threads);
        const detail::storage_ref tails = make_storage_on(where_, s_.type, 1, &threads);
        launch(scatter_kernel::sums, blocks, s_.to, heads->data, tails->data, keys_, numbers_, s_.values, count_,
               extent_, s_.inner, lanes_);
        launch(scatter_kernel::joins, blocks, s_.to, heads->data, tails->data, keys_, count_, extent_, s_.inner,
               lanes_);
    }

private:
    static std::int64_t blocks_of(std::int64_t threads) { return divide_up(threads, scatter_block); }

    detail::storage_ref integers(std::int64_t n) { return make_storage_on(where_, dtype::int32, 1, &n); }

    kernel_request request_for(scatter_kernel which) const {
        const auto of_type = which == scatter_kernel::write || which >= scatter_kernel::sums ? name(s_.type) : "";
        return {fmt::format("scatter {} {}", static_cast<int>(which), of_type), [which, type = s_.type] {
                    return printed_kernel{scatter_text(which, type), scatter_entry(which), {}};
                }};
    }

    template <class... A>
    void launch(scatter_kernel which, std::int64_t blocks, A... arguments) {
        void* pointers[] = {&arguments...};
        const auto name = [&] {
            return fmt::format("the kernel {} of at(x, indices) {} values", scatter_entry(which), s_.adds ? "+=" : "=");
        };
        named_launch(where_, name, [&] {
            where_.launch(ready_[static_cast<int>(which)]->loaded, blocks,
                          which == scatter_kernel::scan ? scan_block : scatter_block, 0, pointers);
        });
    }

    /// Sorts the keys with their original positions, by digits of 8 bits. Each block handles a part of them, large
    /// enough that the table of counts stays small.
    void sort() {
        constexpr std::int64_t max_blocks = 1024, least_part = 4096;
        const std::int64_t wanted = std::max(divide_up(s_.count, max_blocks), least_part);
        const auto part = static_cast<int>(round_up(wanted, scatter_block));
        const std::int64_t blocks = divide_up(s_.count, part);
        const detail::storage_ref table = integers(256 * blocks);
        for (detail::storage_ref* s : {&held_[0], &held_[1], &held_[2], &held_[3]}) *s = integers(s_.count);
        keys_ = s_.keys;
        numbers_ = nullptr;
        for (int shift = 0, to = 0; shift < 31 && extent_ >> shift > 0; shift += 8, to = 2 - to) {
            void *const keys_to = held_[to]->data, *const numbers_to = held_[to + 1]->data;
            launch(scatter_kernel::count, blocks, table->data, keys_, count_, part, shift);
            launch(scatter_kernel::scan, 1, table->data, static_cast<int>(256 * blocks));
            launch(scatter_kernel::place, blocks, keys_to, numbers_to, keys_, numbers_, table->data, count_, part,
                   shift);
            keys_ = static_cast<const std::int32_t*>(keys_to);
            numbers_ = static_cast<const std::int32_t*>(numbers_to);
        }
    }

    kernel_device& where_;
    const scatter s_;
    const int count_, extent_;
    const long long lanes_ = s_.outer * s_.inner;
    const ready_kernel* ready_[static_cast<int>(scatter_kernel::joins) + 1] = {};
    const std::int32_t* keys_ = nullptr;     ///< sorted
    const std::int32_t* numbers_ = nullptr;  ///< their positions before sorting
    detail::storage_ref held_[4];
};

bool is_checked(const device& where) {
    return (current_checks() & (check_nan | check_bounds)) != 0 && where.recording() == nullptr;
}

/// Writes to a copy, which replaces the array's elements if none of the copy's is a NaN or an infinity.
void write_checked(const detail::storage_ref& to, const detail::storage_ref& keys, const detail::storage_ref& values,
                   int axis, bool adds) {
    const detail::storage_ref copy = detail::unshared(to);
    {
        const unchecked_scope own;
        detail::write_at(copy, keys, values, axis, adds);
    }
    if (const std::optional<std::int64_t> found = first_nonfinite(*copy.get())) {
        extents shape{};
        std::copy_n(to->extents, to->rank, shape.begin());
        const extents at = index_of_element(*found, shape, to->rank);
        throw error(fmt::format("nan check: element {} of x in at(x, indices) {} values is {}",
                                shape_text(at.data(), to->rank), adds ? "+=" : "=", text_at(*copy.get(), *found)));
    }
    order_write(*to.get());
    to->where->copy_within(to->data, copy->data, to->bytes);
}

bool is_to_be_recorded(const device& where) { return where.is_host() && !wanted_record().file.empty(); }

/// In a run that records kernels: compiles the kernels that GPUs would run.
void record(const scatter& s) {
    const bool any_order = s.adds && adds_in_any_order(values_of(s));
    for (const int arch : wanted_record().archs) {
        if (any_order)
            for (const sum_source& k : sources_of_sums(values_of(s)))
                record_kernel(arch, sum_kernel_name(k.which), sum_text(k), {});
        else
            for (const scatter_kernel k : kernels_of(s))
                record_kernel(arch, scatter_entry(k), scatter_text(k, s.type), {});
    }
}

}  // namespace
}  // namespace codegen

namespace detail {

bool writes_in_place(const storage_ref& s, double steps) {
    // An expression is one launch, and faster than several up to this many comparisons.
    constexpr double few = 1 << 24;
    const bool aligned = reinterpret_cast<std::uintptr_t>(s->data) % size_of(s->type) == 0;
    // Checked writes use an expression unless that would take very long: its error messages are more precise.
    const bool always =
        s->where->is_host() && !codegen::is_to_be_recorded(*s->where) && !codegen::is_checked(*s->where);
    return s->writable && codegen::is_dense(*s.get()) && aligned && (always || steps > few);
}

void write_at(const storage_ref& to, const storage_ref& keys, const storage_ref& values, int axis, bool adds) {
    codegen::device& where = *to->where;
    codegen::scatter s{to->type, adds};
    for (int a = 0; a < to->rank; ++a) (a < axis ? s.outer : a == axis ? s.extent : s.inner) *= to->extents[a];
    s.count = keys->extents[0];
    if (s.count == 0 || s.outer * s.extent * s.inner == 0) return;
    for (const storage_ref* other : {&keys, &values})
        if ((*other)->where != &where)
            throw error(fmt::format("at: the operands are on two devices, {} and {}; move one with x.to(device)",
                                    where.name(), (*other)->where->name()));
    if ((codegen::current_checks() & codegen::check_nan) != 0 && where.recording() == nullptr)
        return codegen::write_checked(to, keys, values, axis, adds);
    codegen::order_read(*keys.get());
    codegen::order_read(*values.get());
    codegen::order_write(*to.get());
    s.to = to->data;
    s.keys = static_cast<const std::int32_t*>(keys->data);
    s.values = values->data;
    if (codegen::is_to_be_recorded(where)) codegen::record(s);
    if (where.is_host()) {
        if (codegen::capture* const c = where.recording()) return c->record([s] { codegen::scatter_on_host(s); });
        return codegen::scatter_on_host(s);
    }
    auto& on = static_cast<codegen::kernel_device&>(where);
    if (adds && codegen::adds_in_any_order(codegen::values_of(s))) return codegen::launch_sums(on, s);
    codegen::scatter_launches launches(on, s);
    adds ? launches.add() : launches.put();
}

}  // namespace detail
}  // namespace sinter
