// Three kernels, and between them the folds of the groups, which are divided among all cores.
#include <runtime/host/keyed_kernel.hpp>

#include <codegen/ir/round.hpp>
#include <runtime/host/instruction_set.hpp>
#include <runtime/host/pooled.hpp>
#include <runtime/system/parallel.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace sinter::codegen {
namespace {

constexpr std::int64_t elements_of_a_task = 1 << 14;

bool all_listed(const blocked::keyed_reduction& r) {
    return std::all_of(r.folds.begin(), r.folds.end(), [](const auto& f) { return f.input >= 0; });
}

/// Pieces of one block of memory.
class pieces {
public:
    /// Where a piece of so many bytes begins.
    std::int64_t add(std::int64_t bytes) { return std::exchange(size_, size_ + round_up(bytes, blocked::alignment)); }
    std::int64_t size() const { return size_; }

private:
    std::int64_t size_ = 0;
};

}  // namespace

std::shared_ptr<const keyed_kernel> keyed_kernel::of(const loop_nest& k, const blocked::plan& p, compiled_loops when) {
    std::optional<blocked::keyed_reduction> found = blocked::find_keyed_reduction(k, p);
    return found ? std::make_shared<const keyed_kernel>(std::move(*found), when) : nullptr;
}

keyed_kernel::keyed_kernel(blocked::keyed_reduction what, compiled_loops when)
    : what_(std::move(what)),
      keys_(what_.keys, when),
      values_(what_.values, when),
      results_(what_.results, when),
      lists_values_(all_listed(what_)) {}

bool keyed_kernel::fits(const ir::scalar_bits* scalars) const {
    return std::all_of(what_.folds.begin(), what_.folds.end(),
                       [&](const auto& f) { return blocked::folds_the_same(f, scalars); });
}

void keyed_kernel::list_members(const std::int64_t* keys, const member_lists& to) const {
    const auto groups = static_cast<std::uint64_t>(what_.groups);
    std::fill_n(to.ends, groups, 0);
    for (std::int64_t i = 0; i < what_.elements; ++i)
        if (const auto g = static_cast<std::uint64_t>(keys[i]); g < groups) ++to.ends[g];
    std::int32_t before = 0;
    for (std::uint64_t g = 0; g < groups; ++g) before += std::exchange(to.ends[g], before);
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>((what_.chunk - 1) / what_.leaf)));
    for (std::int64_t chunk = 0; chunk * what_.chunk < what_.elements; ++chunk)
        for (std::int64_t leaf = 0; leaf * what_.leaf < what_.chunk; ++leaf) {
            const std::int64_t first = chunk * what_.chunk + leaf * what_.leaf;
            const std::int64_t end = std::min({first + what_.leaf, (chunk + 1) * what_.chunk, what_.elements});
            for (std::int64_t i = first; i < end; ++i) {
                const auto g = static_cast<std::uint64_t>(keys[i]);
                if (g >= groups) continue;
                const std::int32_t at = to.ends[g]++;
                to.rows[at] = static_cast<std::int32_t>(i);
                to.leaves[at] = static_cast<std::uint32_t>(chunk << bits | leaf);
            }
        }
}

void keyed_kernel::fold_groups(const blocked::keyed_reduction::fold& f, const void* values, void* to,
                               const member_lists& members, const ir::scalar_bits* scalars) const {
    const keyed_fold fold = keyed_fold_of(f.builtin, f.type, host_instruction_set());
    const detail::map_loop combine = loops_of(*f.op, f.type, host_instruction_set()).map;
    const bool adds_nothing = blocked::is_identity(f, scalars);
    const auto after = static_cast<std::size_t>(what_.after);
    const std::size_t size = size_of(f.type), row_bytes = after * size;
    const std::int64_t rows = what_.before * what_.groups;
    const std::int64_t work = what_.before * what_.after * (what_.elements + what_.groups);
    const std::int64_t grain = std::max<std::int64_t>(1, rows * elements_of_a_task / work);
    parallel_loop(rows, grain, [&](std::int64_t r, std::int64_t end) {
        for (; r < end; ++r) {
            const std::int64_t batch = r / what_.groups, g = r % what_.groups;
            const std::int32_t first = g == 0 ? 0 : members.ends[g - 1];
            const keyed_members own{members.leaves + first, members.rows + first,
                                    static_cast<std::size_t>(members.ends[g] - first), after};
            const auto at = static_cast<std::size_t>(batch * what_.elements) * row_bytes;
            std::byte* const row = static_cast<std::byte*>(to) + static_cast<std::size_t>(r) * row_bytes;
            fold(row, static_cast<const std::byte*>(values) + at, own);
            if (adds_nothing || own.count == static_cast<std::size_t>(what_.elements)) continue;
            for (std::byte* x = row; x < row + row_bytes; x += size) {
                const void* in[] = {x, &blocked::elsewhere_of(f, scalars), nullptr};
                combine(x, in, 1);
            }
        }
    });
}

void keyed_kernel::run(const void* const* inputs, void* const* outputs, const ir::scalar_bits* scalars) const {
    const std::int64_t n = what_.elements, width = what_.before * what_.after;
    pieces memory;
    const std::int64_t keys_at = memory.add(n * 8), rows_at = memory.add(n * 4), leaves_at = memory.add(n * 4),
                       ends_at = memory.add(what_.groups * 4);
    std::vector<std::int64_t> values_at, results_at;
    for (const blocked::keyed_reduction::fold& f : what_.folds) {
        const auto size = static_cast<std::int64_t>(size_of(f.type));
        values_at.push_back(lists_values_ ? 0 : memory.add(width * n * size));
        results_at.push_back(memory.add(width * what_.groups * size));
    }
    const pooled<std::byte> bytes(memory.size());
    const auto at = [&](std::int64_t offset) -> void* { return bytes.get() + offset; };
    const member_lists members{static_cast<std::int32_t*>(at(rows_at)), static_cast<std::int32_t*>(at(ends_at)),
                               static_cast<std::uint32_t*>(at(leaves_at))};
    void* keys[] = {at(keys_at)};
    evaluate_on_host(keys_, inputs, keys, scalars);
    list_members(static_cast<const std::int64_t*>(keys[0]), members);
    std::vector<void*> values;
    for (const std::int64_t offset : values_at) values.push_back(at(offset));
    if (!lists_values_) evaluate_on_host(values_, inputs, values.data(), scalars);

    std::vector<const void*> read(inputs, inputs + (what_.results.inputs.size() - what_.folds.size()));
    for (std::size_t f = 0; f < what_.folds.size(); ++f) {
        const int listed = what_.folds[f].input;
        fold_groups(what_.folds[f], listed >= 0 ? inputs[listed] : values[f], at(results_at[f]), members, scalars);
        read.push_back(at(results_at[f]));
    }
    evaluate_on_host(results_, read.data(), outputs, scalars);
}

}  // namespace sinter::codegen
