// Arrays that go from thread to thread, copies of them, memory, and who gives it back.
#include <sinter/dlpack.hpp>
#include <sinter/memory.hpp>
#include <tests/threads/stress.hpp>

#include <utility>

namespace sinter::stress {
namespace {

slot& any_slot(worker& w) { return w.all.slots[static_cast<std::size_t>(w.below(16))]; }

bool all_equal(const array<double, 1>& a) {
    const auto elements = to_host(a);
    for (const double e : elements)
        if (e != elements[0]) return false;
    return true;
}

/// Takes the array out of a slot, writes it in place, and puts it back into another one.
void hand_over(worker& w) {
    array<double, 1> mine;
    {
        slot& from = any_slot(w);
        const std::lock_guard lock(from.mutex);
        mine = std::exchange(from.values, array<double, 1>());
    }
    if (mine.size() == 0) mine = full({1 + w.below(200)}, w.value());
    mine += 1.0;
    check(all_equal(mine), "written in place");
    slot& to = any_slot(w);
    const std::lock_guard lock(to.mutex);
    to.values = std::move(mine);
}

/// Reads a copy while others write to theirs.
void read_a_copy(worker& w) {
    array<double, 1> copy;
    {
        slot& from = any_slot(w);
        const std::lock_guard lock(from.mutex);
        copy = from.values;
    }
    if (copy.size() == 0) return;
    const double before = to_host(copy)[0];
    array<double, 1> mine = copy;
    mine *= 2.0;
    mine(0) = -1.0;
    check(all_equal(copy) && to_host(copy)[0] == before && to_host(mine)[0] == -1, "a copy");
}

/// Writes to a slot's array, of which others may hold copies.
void write_a_slot(worker& w) {
    slot& to = any_slot(w);
    const std::lock_guard lock(to.mutex);
    if (to.values.size() > 0) to.values(range(0, to.values.size())) += 1.0;
}

/// A share of what all threads read, written to: the shared one stays.
void write_a_share(worker& w) {
    array<double, 2> mine = w.all.table;
    const std::int64_t row = w.below(common::rows);
    mine(row) = w.value();
    mine += 1.0;
    const std::int64_t first = row * common::columns;
    check(w.all.table.host_view()(row, 0) == static_cast<double>(first), "what is shared");
}

/// Elements that outlive their array.
void host_view(worker& w) {
    const double v = w.value();
    array<double, 1> x = full({1 + w.below(50)}, v);
    const auto elements = x.host_view();
    x = x + 1.0;
    for (const double e : elements) check(e == v, "host_view");
}

void outside_memory(worker& w) {
    std::vector<double> memory(static_cast<std::size_t>(1 + w.below(50)), w.value());
    array<double, 1> x = wrap(memory, {memory.size()});
    const double before = memory[0];
    x += 1.0;
    check(memory.back() == before + 1, "wrap");
}

void exchange_by_dlpack(worker& w) {
    const double v = w.value();
    const array<double, 1> back = from_dlpack<double, 1>(to_dlpack(full({4}, v)));
    check(all_are(back, v, 4), "dlpack");
}

void pool_figures(worker& w) {
    memory_pool pool(host());
    check(pool.used_bytes() > 0 && pool.total_bytes() > 0 && pool.peak_bytes() > 0, "the pool's figures");
    if (w.below(10) == 0) pool.reset_peak();
    if (w.below(10) == 0) pool.set_limit(static_cast<std::size_t>(1 + w.below(2)) << 40);
}

void trim(worker&) { memory_pool(host()).free_all_blocks(); }

void too_much(worker&) {
    try {
        const array<double, 1> x = empty<double>({std::int64_t{1} << 58});
    } catch (const error&) {
        return;
    }
    check(false, "an array beyond all memory");
}

}  // namespace

std::vector<operation> handles() {
    return {{"hand over", 100, hand_over},
            {"read a copy", 100, read_a_copy},
            {"write a slot", 50, write_a_slot},
            {"write a share", 50, write_a_share},
            {"host_view", 50, host_view},
            {"wrap", 25, outside_memory},
            {"dlpack", 25, exchange_by_dlpack},
            {"pool", 50, pool_figures},
            {"trim", 1, trim},
            {"too much", 4, too_much}};
}

}  // namespace sinter::stress
