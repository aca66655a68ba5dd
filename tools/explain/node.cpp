// dtypes, shapes and broadcasting of run-time expressions. The rules are the library's constexpr functions.
#include <codegen/ir/call.hpp>
#include <codegen/rows/identity.hpp>
#include <runtime/devices/device.hpp>
#include <sinter/device.hpp>
#include <sinter/error.hpp>
#include <sinter/op/functions.hpp>
#include <tools/explain/dtypes.hpp>
#include <tools/explain/node.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace sinter::spoken {
namespace {

detail::operand_info info_of(const argument& a) {
    if (const number* n = std::get_if<number>(&a)) return {n->type, true};
    return {std::get<node_ref>(a)->type, false};
}

dtype computing_dtype(const op_row& row, const std::vector<argument>& arguments) {
    detail::operand_info infos[ir::max_operands];
    std::transform(arguments.begin(), arguments.end(), infos, info_of);
    const auto of = [&]<std::size_t N>(const detail::operand_info(&some)[N]) {
        return detail::compute_dtype(row.rule, some);
    };
    if (row.arity == 1) return of({infos[0]});
    if (row.arity == 2) return of({infos[0], infos[1]});
    return of({infos[0], infos[1], infos[2]});
}

void check(const op_row& row, dtype compute) {
    if (is_complex(compute) && refuses_complex(row.rule))
        throw error(
            fmt::format("{}: takes no complex operands; real(z), imag(z), abs(z) and arg(z) are real", row.name));
    if (refuses_floating(row.rule) && is_floating(compute))
        throw error(fmt::format("{}: takes integers{} only; convert with astype<T>(...)", row.name,
                                refuses_bool(row.rule) ? "" : " and bool"));
    if (refuses_bool(row.rule) && compute == dtype::bool_)
        throw error(
            fmt::format("{}: takes no bools: write !p, p != q or p && q, or compute with astype<int>(p)", row.name));
    if ((row.rule == dtype_rule::to_bits || row.rule == dtype_rule::of_bits) && !computes_in(row.rule, compute))
        throw error(fmt::format("{}: converts between float32 or float64 and integers of the same size", row.name));
}

std::shared_ptr<node> made(ir::kind what, dtype type, int rank) {
    auto n = std::make_shared<node>();
    n->what = what;
    n->type = type;
    n->rank = rank;
    return n;
}

/// Checks a node with new extents. Throws if its size exceeds 63 bits.
node_ref checked(std::shared_ptr<node> n, const char* function) {
    detail::checked_size(function, n->shape.data(), n->rank, static_cast<std::int64_t>(size_of(n->type)));
    return n;
}

/// Broadcasts `into` with an operand.
void broadcast(const char* name, node& into, const node& from) {
    for (int a = 0; a < from.rank; ++a) {
        std::int64_t& extent = into.shape[static_cast<std::size_t>(into.rank - from.rank + a)];
        const std::int64_t other = from.shape[static_cast<std::size_t>(a)];
        if (extent == 1)
            extent = other;
        else if (other != 1 && other != extent)
            detail::throw_no_broadcast(name, into.shape.data(), into.rank, from.shape.data(), from.rank);
    }
}

/// Calls f with the number as a value of its C++ type.
template <class F>
void with_value(const number& given, F f) {
    switch (given.type) {
        case dtype::bool_: return f(given.integer != 0);
        case dtype::int32: return f(static_cast<std::int32_t>(given.integer));
        case dtype::int64: return f(given.integer);
        case dtype::float32: return f(static_cast<float>(given.real));
        default: return f(given.real);
    }
}

}  // namespace

detail::storage_ref imagined(dtype type, int rank, const extents& shape, std::uintptr_t place) {
    detail::storage_ref ref(new detail::storage);
    detail::storage& s = *ref.get();
    s.type = type;
    s.rank = static_cast<std::int8_t>(rank);
    s.owned = false;  // nothing to free
    s.where = &host().get();
    s.data = reinterpret_cast<void*>((place + 1) << 40);
    const extents strides = codegen::row_major(shape, rank);
    std::copy_n(shape.begin(), ir::max_rank, s.extents);
    std::copy_n(strides.begin(), ir::max_rank, s.strides);
    return ref;
}

node_ref leaf_of(detail::storage_ref array) {
    auto n = made(ir::kind::leaf, array->type, array->rank);
    std::copy_n(array->extents, ir::max_rank, n->shape.begin());
    n->array = std::move(array);
    return n;
}

node_ref constant_number(const number& given, dtype type, const char* function) {
    auto n = made(ir::kind::scalar, type, 0);
    sinter::detail::with_dtype(type, [&]<dtype D>() {
        with_value(given, [&](auto as_given) {
            const auto value = detail::scalar_value<D>(as_given, function);
            std::memcpy(static_cast<void*>(&n->value), &value, sizeof value);
        });
    });
    n->value.origin = sinter::detail::new_origin();
    return n;
}

namespace {

/// A number as an operand of a comparison in a dtype.
node_ref compared_number(const op_row& row, const number& given, dtype type, bool is_first) {
    if (is_complex(type)) return constant_number(given, type, row.name);
    bool as_given = true;
    detail::real_number exactly;
    sinter::detail::with_dtype(type, [&]<dtype D>() {
        if constexpr (!is_complex(D))
            with_value(given, [&]<class A>(A value) {
                if constexpr (D != dtype::bool_ || std::is_same_v<A, bool>) {
                    as_given = detail::compares_as_given<D>(value);
                    exactly = detail::number_value(value);
                }
            });
    });
    if (as_given) return constant_number(given, type, row.name);
    auto n = made(ir::kind::scalar, type, 0);
    detail::set_bound(n->value, static_cast<builtin_op>(row.builtin), type, exactly, is_first);
    n->value.origin = sinter::detail::new_origin();
    return n;
}

/// Compares a signed array with a uint64 array, as detail::compare_signed does.
node_ref compared_signed(builtin_op op, const node_ref& x, const node_ref& y) {
    const auto number_of = [](std::int64_t n) { return number{dtype::int64, n, 0}; };
    auto none = made(ir::kind::scalar, dtype::uint64, 0);
    none->value.bits = std::uint64_t{1} << 63;
    none->value.origin = sinter::detail::new_origin();
    const node_ref wide = in_dtype(x, dtype::int64);
    const auto cut = [&] { return join(op::minimum::row, dtype::uint64, {y, none}); };
    switch (op) {
        case builtin_op::less:
        case builtin_op::greater_equal: {
            const node_ref last = cast(applied(op::subtract::row, {cut(), number_of(1)}), dtype::int64);
            return join(op == builtin_op::less ? op::less_equal::row : op::greater::row, dtype::bool_, {wide, last});
        }
        case builtin_op::less_equal:
        case builtin_op::greater:
            return join(op == builtin_op::greater ? op::greater::row : op::less_equal::row, dtype::bool_,
                        {cast(applied(op::maximum::row, {wide, number_of(0)}), dtype::uint64), y});
        default:
            return join(op == builtin_op::equal ? op::equal::row : op::not_equal::row, dtype::bool_,
                        {applied(op::maximum::row, {wide, number_of(-1)}), cast(cut(), dtype::int64)});
    }
}

bool is_comparison_made(const argument& a) {
    const node_ref* n = std::get_if<node_ref>(&a);
    return n && (*n)->what == ir::kind::elementwise && detail::is_comparison(*(*n)->op);
}

/// Builds a comparison, as detail::compare does.
node_ref compared(const op_row& row, const argument& a, const argument& b) {
    const auto op = static_cast<builtin_op>(row.builtin);
    const dtype left = info_of(a).type, right = info_of(b).type;
    check(row, is_complex(left) ? left : right);
    const bool masks = left == dtype::bool_ && right == dtype::bool_;
    if ((row.rule == dtype_rule::compare || !masks) && (is_comparison_made(a) || is_comparison_made(b)))
        throw error("a < b < c compares the bools of a < b with c: write (a < b) && (b < c)");
    if (const number* n = std::get_if<number>(&a)) {
        const dtype type = detail::comparing_dtype(right, left);
        return join(row, dtype::bool_, {compared_number(row, *n, type, true), in_dtype(b, type)});
    }
    if (const number* n = std::get_if<number>(&b)) {
        const dtype type = detail::comparing_dtype(left, right);
        return join(row, dtype::bool_, {in_dtype(a, type), compared_number(row, *n, type, false)});
    }
    const node_ref &x = std::get<node_ref>(a), &y = std::get<node_ref>(b);
    if (detail::signed_beside_uint64(left, right)) return compared_signed(op, x, y);
    if (detail::signed_beside_uint64(right, left)) return compared_signed(detail::mirrored(op), y, x);
    const dtype type = detail::comparing_arrays(left, right);
    return join(row, dtype::bool_, {in_dtype(x, type), in_dtype(y, type)});
}

}  // namespace

node_ref cast(node_ref in, dtype type) {
    auto n = made(ir::kind::cast, type, in->rank);
    n->shape = in->shape;
    n->in = {std::move(in)};
    return n;
}

node_ref in_dtype(const argument& a, dtype type, const char* function) {
    if (const number* n = std::get_if<number>(&a)) return constant_number(*n, type, function);
    const node_ref& in = std::get<node_ref>(a);
    return in->type == type ? in : cast(in, type);
}

node_ref join(const op_row& row, dtype type, std::vector<node_ref> in) {
    int rank = 0;
    for (const node_ref& operand : in) rank = std::max(rank, operand->rank);
    auto n = made(ir::kind::elementwise, type, rank);
    std::fill_n(n->shape.begin(), rank, 1);
    for (const node_ref& operand : in) broadcast(row.name, *n, *operand);
    n->op = &row;
    n->in = std::move(in);
    return checked(std::move(n), row.name);
}

node_ref applied(const op_row& row, const std::vector<argument>& arguments) {
    if (detail::is_comparison(row)) return compared(row, arguments[0], arguments[1]);
    const dtype compute = computing_dtype(row, arguments);
    check(row, compute);
    std::vector<node_ref> in;
    for (const argument& a : arguments)
        in.push_back(in_dtype(a, in.empty() && row.rule == dtype_rule::select ? dtype::bool_ : compute, row.name));
    return join(row, result_of(row.rule, compute), std::move(in));
}

void check_mask(const char* function, const node& mask, const node& operand) {
    if (mask.type != dtype::bool_) throw error("where=: takes bools: write a comparison, such as where=x != 0");
    bool fits = mask.rank <= operand.rank;
    for (int a = 0; fits && a < mask.rank; ++a) {
        const std::int64_t extent = mask.shape[static_cast<std::size_t>(a)];
        fits = extent == 1 || extent == operand.shape[static_cast<std::size_t>(operand.rank - mask.rank + a)];
    }
    if (!fits) detail::throw_bad_mask(function, mask.shape.data(), mask.rank, operand.shape.data(), operand.rank);
}

node_ref reduce(const op_row& row, const node_ref& given, const reduce_options& options) {
    const dtype accumulator = detail::compute_dtype(row.rule, {given->type, false});
    check(row, accumulator);
    node_ref in = in_dtype(given, accumulator);
    if (options.mask) {
        if (!options.initial && !row.has_identity)
            throw error(fmt::format("{}: has no value for no elements: where= needs initial= as well", row.name));
        check_mask(row.name, *options.mask, *in);
        auto identity = made(ir::kind::scalar, accumulator, 0);
        identity->value = codegen::identity_of(row, computed_in(accumulator));
        in = join(op::where::row, accumulator, {options.mask, in, identity});
    }
    const int kept_rank = in->rank - __builtin_popcount(options.axes);
    auto n = made(ir::kind::reduction, accumulator_of(row.rule, accumulator), options.keepdims ? in->rank : kept_rank);
    std::int64_t folded = 1, results = 1;
    for (int a = 0, to = 0; a < in->rank; ++a) {
        const std::int64_t extent = in->shape[static_cast<std::size_t>(a)];
        const bool reduced = options.axes >> a & 1;
        (reduced ? folded : results) *= extent;
        if (!reduced || options.keepdims) n->shape[static_cast<std::size_t>(to++)] = reduced ? 1 : extent;
    }
    if (!options.initial && !row.has_identity && folded == 0 && results != 0)
        detail::throw_empty_reduction(row.name, in->shape.data(), in->rank);
    n->op = &row;
    n->axes = options.axes;
    n->keepdims = options.keepdims;
    n->in = {in};
    if (!options.initial) return n;
    return join(row, accumulator, {constant_number(*options.initial, accumulator, row.name), n});
}

node_ref scan(const op_row& row, const node_ref& given, int axis, bool exclusive, bool reverse) {
    const dtype accumulator = detail::compute_dtype(row.rule, {given->type, false});
    check(row, accumulator);
    if (exclusive && !row.has_identity)
        throw error(
            fmt::format("{}: exclusive begins with the reduction of no elements, for which it has no value", row.name));
    auto n = made(ir::kind::scan, accumulator, given->rank);
    n->shape = given->shape;
    n->op = &row;
    n->axes = 1u << axis;
    n->exclusive = exclusive;
    n->reverse = reverse;
    n->in = {in_dtype(given, accumulator)};
    return n;
}

node_ref called(const ir::call_row& function, std::vector<node_ref> in, std::vector<std::int64_t> integers) {
    std::vector<codegen::call_array> operands;
    for (const node_ref& o : in) operands.push_back({o->type, o->rank, o->shape});
    codegen::call_integers given{};
    std::copy(integers.begin(), integers.end(), given.begin());
    const codegen::call_array result = function.body->result(operands, given, 0);
    auto n = made(ir::kind::call, result.type, result.rank);
    n->shape = result.shape;
    n->callee = &function;
    n->in = std::move(in);
    n->integers = std::move(integers);
    return n;
}

node_ref spread(node_ref in, int rank, const int* to) {
    auto n = made(ir::kind::index_map, in->type, rank);
    std::fill_n(n->shape.begin(), rank, 1);
    for (int a = 0; a < in->rank; ++a) {
        n->integers.insert(n->integers.end(), {to[a], 0, 1});
        n->shape[static_cast<std::size_t>(to[a])] = in->shape[static_cast<std::size_t>(a)];
    }
    n->integers.insert(n->integers.end(), n->shape.begin(), n->shape.begin() + rank);
    n->in = {std::move(in)};
    return n;
}

node_ref stored(node_ref in, ir::product what) {
    auto n = made(ir::kind::materialize, in->type, in->rank);
    n->shape = in->shape;
    n->value.bits = static_cast<std::uint64_t>(what);
    n->in = {std::move(in)};
    return n;
}

node_ref held(node_ref in) {
    auto n = made(ir::kind::stop_gradient, in->type, in->rank);
    n->shape = in->shape;
    n->in = {std::move(in)};
    return n;
}

node_ref gradient(const node_ref& loss, const node_ref& by) {
    if (loss->rank != 0) throw error("grad: the loss must be a single number: reduce it, for example by sum or mean");
    if (!is_floating(loss->type) || !is_floating(by->type))
        throw error("grad: derivatives are of floating numbers with respect to floating numbers");
    auto n = made(ir::kind::gradient, by->type, by->rank);
    n->shape = by->shape;
    n->in = {loss, by};
    return n;
}

node_ref stretched(node_ref in, const extents& shape, int rank) {
    auto n = made(ir::kind::index_map, in->type, rank);
    n->shape = shape;
    for (int a = 0; a < in->rank; ++a) {
        const bool along = in->shape[static_cast<std::size_t>(a)] != 1;
        n->integers.insert(n->integers.end(), {along ? a + rank - in->rank : -1, 0, along ? 1 : 0});
    }
    n->integers.insert(n->integers.end(), shape.begin(), shape.begin() + rank);
    n->in = {std::move(in)};
    return checked(std::move(n), "broadcast_to");
}

}  // namespace sinter::spoken
