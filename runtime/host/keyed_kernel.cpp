// Three kernels, and between them the folds of the values.
#include <runtime/host/keyed_kernel.hpp>

#include <codegen/ir/round.hpp>
#include <runtime/host/keyed_folds.hpp>
#include <runtime/host/pooled.hpp>

#include <algorithm>
#include <utility>

namespace sinter::codegen {
namespace {

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

void keyed_kernel::run(const void* const* inputs, void* const* outputs, const ir::scalar_bits* scalars) const {
    const std::int64_t n = what_.elements, width = what_.before * what_.after;
    const bool lists_keys = what_.key_input >= 0;
    const std::int64_t keys = n * (what_.keys_before ? what_.before : 1) * (what_.keys_after ? what_.after : 1);
    pieces memory;
    const std::int64_t keys_at = lists_keys ? 0 : memory.add(keys * 8);
    std::vector<std::int64_t> values_at, results_at;
    std::vector<key_division> divisions;
    for (const blocked::keyed_reduction::fold& f : what_.folds) {
        divisions.push_back(divide_by_key(what_, f));
        values_at.push_back(lists_values_ ? 0 : memory.add(width * n * static_cast<std::int64_t>(size_of(f.type))));
        results_at.push_back(memory.add(divisions.back().bytes_of_results));
    }
    const pooled<std::byte> bytes(memory.size());
    const auto at = [&](std::int64_t offset) { return bytes.get() + offset; };
    void* computed_keys[] = {at(keys_at)};
    if (!lists_keys) evaluate_on_host(keys_, inputs, computed_keys, scalars);
    std::vector<void*> values;
    for (const std::int64_t offset : values_at) values.push_back(at(offset));
    if (!lists_values_) evaluate_on_host(values_, inputs, values.data(), scalars);

    std::vector<const void*> read(inputs, inputs + (what_.results.inputs.size() - what_.folds.size()));
    for (std::size_t i = 0; i < what_.folds.size(); ++i) {
        const blocked::keyed_reduction::fold& f = what_.folds[i];
        fold_by_key(what_, f, divisions[i],
                    static_cast<const std::int64_t*>(lists_keys ? inputs[what_.key_input] : computed_keys[0]),
                    f.input >= 0 ? inputs[f.input] : values[i],
                    blocked::is_identity(f, scalars) ? nullptr : &blocked::elsewhere_of(f, scalars), at(results_at[i]));
        read.push_back(at(results_at[i]));
    }
    evaluate_on_host(results_, read.data(), outputs, scalars);
}

}  // namespace sinter::codegen
