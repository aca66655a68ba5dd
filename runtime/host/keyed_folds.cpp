// Each task folds a part of the elements, and of their columns, into tables, which stay in the cache if groups are few.
#include <runtime/host/keyed_folds.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/rows/identity.hpp>
#include <runtime/host/frame.hpp>
#include <runtime/host/instruction_set.hpp>
#include <runtime/host/pooled.hpp>
#include <runtime/system/parallel.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace sinter::codegen {
namespace {

constexpr std::int64_t max_columns = 512, max_parts = 16;
constexpr std::int64_t least_chunk = 4096;
constexpr std::int64_t elements_per_group = 8;  // of a chunk: tables are filled and combined for fewer steps than that
constexpr std::int64_t bytes_of_pieces = 64 << 20;
constexpr std::int64_t bytes_of_tables = 16 * 1024;  // of several: they stay in the L1 cache
constexpr std::int64_t elements_worth_a_task = 1 << 14;

class key_folder {
public:
    key_folder(const blocked::keyed_reduction& r, const blocked::keyed_reduction::fold& f, const key_division& d,
               const std::int64_t* keys, const std::byte* values, std::byte* results)
        : r_(r), d_(d), keys_(keys), values_(values), results_(results), size_(size_of(f.type)) {
        step_.loops = loops_of(*f.op, f.type, host_instruction_set());
        step_.identity = identity_of(*f.op, f.type);
        step_.element_size = size_;
        fold_ = keyed_fold_of(f.builtin, f.type, host_instruction_set());
    }

    void run_task(std::int64_t task, std::byte* memory) const {
        const std::int64_t part = task % d_.parts, in_row = task / d_.parts % d_.pieces;
        const std::int64_t before = task / d_.parts / d_.pieces, column = in_row * d_.width;
        const std::int64_t width = std::min(d_.width, r_.after - column), rows = r_.groups * width;
        std::byte* const to = result_of(part, before, column);
        const bool in_place = d_.folds_in_place();
        blocked::accumulator a{&step_, in_place ? to : memory, nullptr, static_cast<std::size_t>(rows)};
        std::byte* const others = memory + (in_place ? 0 : a.bytes());
        a.levels = others + static_cast<std::size_t>(d_.tables - 1) * a.bytes();
        const std::int64_t first = part * d_.chunks_per_part;
        const std::int64_t last = std::min(first + d_.chunks_per_part, d_.chunks) - 1;
        a.reset();
        for (std::int64_t chunk = first; chunk <= last; ++chunk) {
            fold_chunk(a, before, column, width, chunk);
            if (chunk != last) a.push(chunk - first);
        }
        a.finish(last - first);
        if (in_place) return;
        for (std::int64_t g = 0; g < r_.groups; ++g)
            std::memcpy(to + bytes(g * r_.after), a.leaf + bytes(g * width), bytes(width));
    }

    /// Combines the parts' results of some elements, neighbours first.
    void combine_parts(std::int64_t from, std::int64_t end) const {
        const std::int64_t all = r_.before * r_.groups * r_.after;
        for (std::int64_t apart = 1; apart < d_.parts; apart *= 2)
            for (std::int64_t part = 0; part + apart < d_.parts; part += 2 * apart) {
                std::byte* const to = results_ + bytes(part * all + from);
                const void* in[] = {to, results_ + bytes((part + apart) * all + from), nullptr};
                step_.loops.map(to, in, static_cast<std::size_t>(end - from));
            }
    }

    /// Folds `elsewhere` into all results but those that have all elements.
    void fold_elsewhere(const ir::scalar_bits& elsewhere) const {
        for (std::int64_t b = 0; b < r_.before; ++b)
            for (std::int64_t j = 0; j < r_.after; ++j) {
                const std::int64_t only = only_group(b, j);
                for (std::int64_t g = 0; g < r_.groups; ++g) {
                    if (g == only) continue;
                    std::byte* const to = results_ + bytes((b * r_.groups + g) * r_.after + j);
                    const void* in[] = {to, &elsewhere, nullptr};
                    step_.loops.map(to, in, 1);
                }
            }
    }

private:
    std::size_t bytes(std::int64_t elements) const { return static_cast<std::size_t>(elements) * size_; }
    std::byte* result_of(std::int64_t part, std::int64_t before, std::int64_t column) const {
        return results_ + bytes((part * r_.before + before) * r_.groups * r_.after + column);
    }
    std::int64_t keys_per_element() const { return r_.keys_after ? r_.after : 1; }
    const std::int64_t* keys_of(std::int64_t before, std::int64_t column) const {
        return keys_ + (r_.keys_before ? before * r_.elements * keys_per_element() : 0) + (r_.keys_after ? column : 0);
    }

    /// Folds a chunk into the accumulator's leaf, which is empty: by way of several tables if there are.
    void fold_chunk(blocked::accumulator& a, std::int64_t before, std::int64_t column, std::int64_t width,
                    std::int64_t chunk) const {
        const std::int64_t first = chunk * d_.chunk;
        keyed_elements e;
        e.keys = keys_of(before, column) + first * keys_per_element();
        e.key_stride = static_cast<std::size_t>(keys_per_element());
        e.own_keys = r_.keys_after;
        e.value_stride = static_cast<std::size_t>(r_.after);
        e.groups = r_.groups;
        e.count = static_cast<std::size_t>(std::min(d_.chunk, r_.elements - first));
        e.width = static_cast<std::size_t>(width);
        const std::byte* const from = values_ + bytes((before * r_.elements + first) * r_.after + column);
        const auto tables = static_cast<std::size_t>(d_.tables);
        if (tables > 1) {
            static_assert(max_key_tables == 4);
            std::byte* const own = a.leaf;
            blocked::fill(own + a.bytes(), step_.identity, (d_.tables - 1) * r_.groups, size_);
            fold_(own, tables, from, e);
            combine(own, own + a.bytes(), a.groups);
            combine(own + 2 * a.bytes(), own + 3 * a.bytes(), a.groups);
            combine(own, own + 2 * a.bytes(), a.groups);
        } else {
            fold_(a.leaf, 1, from, e);
        }
    }
    void combine(std::byte* to, const std::byte* with, std::size_t count) const {
        const void* in[] = {to, with, nullptr};
        step_.loops.map(to, in, count);
    }

    /// The group that all elements are of, or -1.
    std::int64_t only_group(std::int64_t before, std::int64_t column) const {
        const std::int64_t* const keys = keys_of(before, column);
        for (std::int64_t i = 1; i < r_.elements; ++i)
            if (keys[i * keys_per_element()] != keys[0]) return -1;
        return keys[0];
    }

    const blocked::keyed_reduction& r_;
    const key_division& d_;
    const std::int64_t* const keys_;
    const std::byte* const values_;
    std::byte* const results_;
    const std::size_t size_;
    blocked::fold_step step_;
    keyed_fold fold_ = nullptr;
};

}  // namespace

key_division divide_by_key(const blocked::keyed_reduction& r, const blocked::keyed_reduction::fold& f) {
    const auto size = static_cast<std::int64_t>(size_of(f.type));
    constexpr auto several = static_cast<std::int64_t>(max_key_tables);
    key_division d;
    // Longer rows are folded in pieces, so narrow that the groups' fit the memory.
    const std::int64_t columns_in_memory = std::max<std::int64_t>(1, bytes_of_pieces / (r.groups * size));
    d.width = r.after <= max_columns ? r.after : std::min(max_columns, columns_in_memory);
    d.pieces = divide_up(r.after, d.width);
    if (r.after == 1 && several * r.groups * size <= bytes_of_tables) d.tables = several;
    d.chunk = std::max(least_chunk, elements_per_group * d.tables * r.groups);
    d.chunks = divide_up(r.elements, d.chunk);
    const bool few_tasks = r.before * d.pieces < max_parts;
    d.chunks_per_part = few_tasks ? divide_up(d.chunks, max_parts) : d.chunks;
    d.chunks_per_part = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(d.chunks_per_part)));
    d.parts = divide_up(d.chunks, d.chunks_per_part);
    const auto levels = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(d.chunks_per_part - 1)));
    d.bytes_of_results = d.parts * r.before * r.groups * r.after * size;
    d.bytes_of_task = ((d.folds_in_place() ? 0 : d.tables) + levels) * r.groups * d.width * size;
    return d;
}

void fold_by_key(const blocked::keyed_reduction& r, const blocked::keyed_reduction::fold& f, const key_division& d,
                 const std::int64_t* keys, const void* values, const ir::scalar_bits* elsewhere, std::byte* results) {
    const key_folder folder(r, f, d, keys, static_cast<const std::byte*>(values), results);
    const std::int64_t work = d.width * std::min(d.chunk * d.chunks_per_part, r.elements);
    pooled<std::byte> own(d.bytes_of_task);
    cancellable_loop(
        r.before * d.pieces * d.parts, std::max<std::int64_t>(1, elements_worth_a_task / work), own,
        [&](std::optional<pooled<std::byte>>& mine) { mine.emplace(d.bytes_of_task); },
        [&](const pooled<std::byte>& memory, std::int64_t task, std::int64_t end) {
            for (; task < end; ++task) folder.run_task(task, memory.get());
        });
    if (d.parts > 1)
        cancellable_loop(r.before * r.groups * r.after, elements_worth_a_task / d.parts,
                         [&](std::int64_t from, std::int64_t end) { folder.combine_parts(from, end); });
    if (elsewhere != nullptr) folder.fold_elsewhere(*elsewhere);
}

}  // namespace sinter::codegen
