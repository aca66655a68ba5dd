// The table's reductions of elements by key, for one instruction set. Compiled once per instruction set, which
// SINTER_ISA names.
#include <codegen/rows/dispatch.hpp>
#include <codegen/rows/form.hpp>

#include <sinter/op/builtin.hpp>
#include <sinter/op/loops.hpp>

namespace sinter::codegen {
namespace {

#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...) SINTER_DETAIL_BODY(name##_of_keys, __VA_ARGS__);
#include <codegen/rows/reductions.def>

template <class Body, class T>
void fold_into(T& to, T value) {
    to = static_cast<T>(Body::template call<T, T>(to, value, T()));
}

/// One value per element. Those of no group are folded into a place of their own: a branch would be mispredicted where
/// they are mixed with others.
template <class Body, class T, std::size_t Tables>
void fold_single(T* table, const T* values, const keyed_elements& e) {
    T nowhere = T();
    const auto groups = static_cast<std::uint64_t>(e.groups);
    const auto fold = [&](std::size_t i, std::size_t which) __attribute__((always_inline)) {
        const auto g = static_cast<std::uint64_t>(e.keys[i * e.key_stride]);
        T* const to = g < groups ? table + which * groups + g : &nowhere;
        fold_into<Body>(*to, values[i * e.value_stride]);
    };
    const std::size_t whole = e.count / Tables * Tables;
    for (std::size_t i = 0; i < whole; i += Tables)
        for (std::size_t which = 0; which < Tables; ++which) fold(i + which, which);
    for (std::size_t i = whole; i < e.count; ++i) fold(i, i - whole);
}

template <class Body, class T>
void fold_rows(T* table, const T* values, const keyed_elements& e) {
    const auto groups = static_cast<std::uint64_t>(e.groups);
    for (std::size_t i = 0; i < e.count; ++i) {
        const T* const from = values + i * e.value_stride;
        const std::int64_t* const keys = e.keys + i * e.key_stride;
        if (e.own_keys) {
            for (std::size_t j = 0; j < e.width; ++j)
                if (const auto g = static_cast<std::uint64_t>(keys[j]); g < groups)
                    fold_into<Body>(table[g * e.width + j], from[j]);
        } else if (const auto g = static_cast<std::uint64_t>(*keys); g < groups) {
            T* const to = table + g * e.width;
            SINTER_DETAIL_IVDEP
            for (std::size_t j = 0; j < e.width; ++j) fold_into<Body>(to[j], from[j]);
        }
    }
}

template <class Body, class T>
void fold_keyed(void* to, std::size_t tables, const void* from, const keyed_elements& e) {
    T* const table = static_cast<T*>(to);
    const T* const values = static_cast<const T*>(from);
    if (e.width > 1) return fold_rows<Body>(table, values, e);
    if (tables > 1) return fold_single<Body, T, max_key_tables>(table, values, e);
    fold_single<Body, T, 1>(table, values, e);
}

template <class Body, dtype_rule R>
keyed_fold fold_in(dtype type) {
    return detail::with_dtype(type, []<dtype D>() -> keyed_fold {
        // sums of any integers: where their range is known, they need no 64 bits
        if constexpr (computes_in(R, D) || (R == dtype_rule::sum && is_integer(D)))
            return fold_keyed<Body, detail::number_t<D>>;
        else
            return nullptr;
    });
}

}  // namespace

#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...) \
    case builtin_op::name: return fold_in<name##_of_keys, dtype_rule::rule>(type);

keyed_fold SINTER_FORM(keyed_fold_loop)(int builtin, dtype type) {
    switch (static_cast<builtin_op>(builtin)) {
#include <codegen/rows/reductions.def>
        default: break;
    }
    return nullptr;
}

}  // namespace sinter::codegen
