// Builds device programs: expressions by C++ operators, statements in call order, nested by open_... and close.
#pragma once

#include <codegen/device/program.hpp>

#include <concepts>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace sinter::codegen::device_ir {

class builder;

/// An expression of the program under construction. An empty one stands for an absent expression.
struct scalar {
    builder* of = nullptr;
    id at = none;

    explicit operator bool() const { return at != none; }
};

class builder {
public:
    program made;

    // ---- expressions ----
    const expression& operator[](const scalar& s) const { return made.expressions[static_cast<std::size_t>(s.at)]; }
    scalar integer(std::int64_t value, dtype type = dtype::int32);
    scalar literal(dtype type, std::uint64_t bits, std::uint64_t more = 0);
    scalar identity(const op_row& reduction, dtype type);
    scalar thread() { return index(expression_kind::thread, dtype::uint32); }
    scalar block() { return index(expression_kind::block, dtype::uint32); }
    scalar grid() { return index(expression_kind::grid, dtype::uint32); }
    scalar arithmetic(arithmetic_kind how, const scalar& a, const scalar& b);
    scalar negation(const scalar& condition);
    scalar shift_right(const scalar& x, int bits);
    scalar select(const scalar& condition, const scalar& yes, const scalar& no);
    scalar quotient(const scalar& position, const scalar& multiplier, const scalar& shift);
    /// `op` of the operands, computed in `computes`; the result has dtype `type`.
    scalar operation(const op_row& op, dtype type, dtype computes, const std::array<scalar, 3>& operands);
    scalar cast(dtype type, const scalar& x);
    scalar index_cast(dtype type, const scalar& x);
    scalar call(id function, const std::vector<scalar>& arguments);
    scalar exchange(exchange_pattern pattern, const scalar& x, const scalar& lane, int width = 32);
    scalar peer(const scalar& element, const scalar& block);
    /// An element of shared memory or registers; without the last index, all `packed` neighbours.
    scalar element(id array, const std::vector<scalar>& indices);
    /// `count` neighbouring elements of shared memory, beginning at the given one.
    scalar neighbours(id array, const std::vector<scalar>& indices, int count);
    /// `count` elements of global memory, beginning at `terms` plus `shift`.
    scalar memory(id array, std::vector<term> terms, std::int64_t shift = 0, int count = 1,
                  cache_hint hint = cache_hint::usual);

    // ---- declarations ----
    id add(array a);
    id add(variable v);
    id add(function f);
    scalar parameter(std::string name, dtype type, bool is_index);
    /// A function; statements until end_function() belong to its body.
    id begin_function(std::string name, std::string comment);
    void end_function(const scalar& value = {});
    function& at_function(id f) { return made.functions[static_cast<std::size_t>(f)]; }
    const array& at_array(id a) const { return made.arrays[static_cast<std::size_t>(a)]; }

    // ---- statements ----
    void comment(std::string text);
    void blank() { append(statement_kind::blank); }
    /// A constant; `note` becomes a comment at the end of the line.
    scalar let(std::string name, dtype type, const scalar& value, std::string note = "");
    scalar let_index(std::string name, dtype type, const scalar& value, std::string note = "");
    /// A mutable variable, with or without an initial value.
    scalar variable_of(std::string name, dtype type, const scalar& value = {});
    scalar index_variable(std::string name, dtype type, const scalar& value = {}, std::string note = "");
    id declare(array a, bool cleared = false);
    id view(std::string name, const scalar& element);
    /// An array within the bytes of another one, from `first_byte` (empty: 0) plus `offset` elements.
    id carve(array part, id bytes, const scalar& first_byte, const scalar& offset = {});
    void assign(const scalar& target, const scalar& value, std::string note = "");
    void call_statement(id function, const std::vector<scalar>& arguments);
    void barrier(barrier_scope scope, std::string note = "");
    void barrier_of_threads(int count, std::string note = "");
    void barrier_of_blocks(const scalar& counter, const scalar& part, const scalar& parts);
    void fence(std::string note = "");
    void leave_if(const scalar& condition);
    void opaque(const scalar& variable, std::string note);
    /// The value of a counter before the atomic addition of `value`.
    scalar ticket(std::string name, const scalar& counter, const scalar& value);
    /// Sets `target` to the neighbours of the two vectors of a window from number `first` on.
    void realign(const scalar& target, const scalar& window, const scalar& first);
    void widen(const scalar& target, const scalar& value, const scalar& factor = {});
    void add_atomically(const scalar& counter, const scalar& value);
    void publish(const scalar& place, const scalar& launch, const scalar& value);
    void await(const scalar& first, const scalar& distance, const scalar& launch, int count, const scalar& into);
    void multiply_accumulate(const scalar& sum, const scalar& left, const scalar& right);
    void load_matrix(const scalar& fragment, const scalar& row, bool transposed);
    void async_copy(const scalar& to, const scalar& from, const scalar& where);
    void commit_copies() { append(statement_kind::commit_copies); }
    void wait_copies(int under_way) { append(statement_kind::wait_copies).count = under_way; }
    void fence_shared() { append(statement_kind::fence_shared); }
    void set_registers(int count) { append(statement_kind::set_registers).count = count; }
    void init_barriers(const scalar& first, int arrivals);
    void arrive(const scalar& barrier, int expected_bytes = 0);
    void wait_phase(const scalar& barrier, const scalar& parity);
    /// Along each term of `first`, the contiguous one first, how far the array goes; boxes of `lines` lines.
    void tensor_map(id map, const scalar& first, const std::vector<scalar>& extents, int lines);
    void copy_box(const scalar& panel, id map, const std::vector<scalar>& first, const scalar& barrier);
    /// Either may be empty.
    void begin_products(const scalar& sums, const scalar& left);
    struct warpgroup_factor {
        scalar first;
        bool transposed = false;  ///< lines in shared memory go along the steps
    };
    void multiply_warpgroup(const scalar& sums, int fragments, const warpgroup_factor& left,
                            const warpgroup_factor& right, const scalar& adds = {});
    void commit_products() { append(statement_kind::commit_products); }
    void wait_products(const scalar& sums, int under_way = 0);
    statement& append(statement_kind kind);

    void open_branch(const scalar& condition);
    void otherwise();
    /// Opens a loop: a counter of this dtype from `first` while it is below `limit`, by `step`.
    scalar open_loop(std::string name, dtype type, const scalar& first, const scalar& limit, const scalar& step,
                     int unroll = -1);
    /// Adds a condition to the limit of the innermost open loop.
    void limit_loop(const scalar& condition);
    /// From `first` while it is above 0, halving.
    scalar open_halving(std::string name, int first, int unroll = -1);
    /// From `first` down to `last`, halving.
    scalar open_halving_to(std::string name, int first, int last, int unroll);
    /// From `first` while it is below `limit`, doubling.
    scalar open_doubling(std::string name, int first, int limit, int unroll);
    /// From `first` while it is above 0, by -1.
    scalar open_down(std::string name, int first, int unroll);
    scalar open_unrolled(std::string name, int count, int step = 1) {
        return open_loop(std::move(name), dtype::int32, integer(0), integer(count), integer(step), 0);
    }
    void open_scope();
    void close();

private:
    scalar index(expression_kind kind, dtype type);
    scalar open_counter(std::string name, dtype type, const scalar& first, int unroll);
    scalar make(expression e);
    scalar declare_variable(variable v, const scalar& value, std::string note);
    std::vector<statement>& here();

    struct open_statement {
        statement outer;
        bool in_otherwise = false;
    };
    std::vector<open_statement> open_;
    std::vector<open_statement> open_outside_;  ///< the kernel's open statements, while a function is built
    id function_ = none;
};

scalar operator+(const scalar& a, const scalar& b);
scalar operator-(const scalar& a, const scalar& b);
scalar operator*(const scalar& a, const scalar& b);
scalar operator/(const scalar& a, const scalar& b);
scalar operator%(const scalar& a, const scalar& b);
scalar operator<(const scalar& a, const scalar& b);
scalar operator<=(const scalar& a, const scalar& b);
scalar operator>=(const scalar& a, const scalar& b);
scalar operator==(const scalar& a, const scalar& b);
scalar operator&&(const scalar& a, const scalar& b);

#define SINTER_WITH_INTEGERS(op)                                 \
    template <std::integral T>                                   \
    scalar operator op(const scalar& a, T b) {                   \
        return a op a.of->integer(static_cast<std::int64_t>(b)); \
    }                                                            \
    template <std::integral T>                                   \
    scalar operator op(T a, const scalar& b) {                   \
        return b.of->integer(static_cast<std::int64_t>(a)) op b; \
    }
SINTER_WITH_INTEGERS(+)
SINTER_WITH_INTEGERS(-)
SINTER_WITH_INTEGERS(*)
SINTER_WITH_INTEGERS(/)
SINTER_WITH_INTEGERS(%)
SINTER_WITH_INTEGERS(<)
SINTER_WITH_INTEGERS(<=)
SINTER_WITH_INTEGERS(>=)
SINTER_WITH_INTEGERS(==)
#undef SINTER_WITH_INTEGERS

}  // namespace sinter::codegen::device_ir
