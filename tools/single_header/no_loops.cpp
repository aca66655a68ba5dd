// The single header's replacements for host loops, unless it evaluates: they dominate compile time. The identities of
// reductions are real, because kernels' source contains them.
#include <codegen/rows/column_folds.hpp>
#include <codegen/rows/dispatch.hpp>
#include <codegen/rows/divisions.hpp>
#include <codegen/rows/extremes.hpp>
#include <codegen/rows/widened_sums.hpp>
#include <runtime/host/tiles.hpp>
#include <sinter/error.hpp>
#include <sinter/op/builtin.hpp>
#include <sinter/op/loops.hpp>

namespace sinter::codegen {
namespace {

[[noreturn]] void refuse(void*, const void* const*, std::size_t) {
    throw error("sinter_all.hpp evaluates nothing as it is: compile with -DSINTER_ALL_EVALUATE, which takes longer");
}

template <class Identity, dtype_rule R>
const void* identity_in(dtype type) {
    return detail::with_value_dtype(type, []<dtype D>() -> const void* {
        if constexpr (computes_in(R, D)) return &Identity::template value<detail::number_t<D>>;
        return nullptr;
    });
}

#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...) SINTER_DETAIL_IDENTITY(name##_identity, identity);
#define SINTER_INNER_ROWS
#include <codegen/rows/reductions.def>

}  // namespace

detail::host_loops builtin_loops_baseline(int builtin, dtype type) {
#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...) \
    case builtin_op::name: return {&refuse, nullptr, identity_in<name##_identity, dtype_rule::rule>(type)};
    switch (static_cast<builtin_op>(builtin)) {
#define SINTER_INNER_ROWS
#include <codegen/rows/reductions.def>
        default: return {&refuse};
    }
}

detail::map_loop cast_loop_baseline(dtype, dtype) { return &refuse; }
// The special cases of what the loops above refuse: there are none.
detail::map_loop pair_loop_baseline(int, int, dtype, bool) { return nullptr; }
detail::map_loop division_loop_baseline(bool, dtype) { return nullptr; }
detail::fold_loop widened_sum_loop_baseline(dtype, dtype) { return nullptr; }
column_fold column_fold_loop_baseline(int, dtype) { return nullptr; }
extreme_fold extreme_loop_baseline(const extreme_kind&, dtype) { return nullptr; }
keyed_fold keyed_fold_loop_baseline(int, dtype) {
    return [](void*, std::size_t, const void*, const keyed_elements&) { refuse(nullptr, nullptr, 0); };
}

void multiply_part_baseline(const gemm&, const gemm_pointers&, const ir::scalar_bits&, const ir::scalar_bits&,
                            const gemm_part&, std::byte*) {
    refuse(nullptr, nullptr, 0);
}
void multiply_tiny_baseline(const gemm&, const gemm_pointers&, std::int64_t, std::int64_t) {
    refuse(nullptr, nullptr, 0);
}

}  // namespace sinter::codegen
