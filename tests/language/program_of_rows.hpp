// The non-reduction rows of the op table, for one dtype and one layout of their operands, as one program.
#pragma once

#include <tests/language/kept_slot.hpp>
#include <tests/language/node_list.hpp>

#include <cstring>
#include <vector>

namespace sinter::test {

/// The table's rows that are no reductions.
inline const op_row* const all_rows[] = {
#define SINTER_ROW_UNARY(name, ...) &op::name::row,
#define SINTER_ROW_BINARY SINTER_ROW_UNARY
#define SINTER_ROW_TERNARY SINTER_ROW_UNARY
#define SINTER_ROW_PREFIX SINTER_ROW_UNARY
#define SINTER_ROW_INFIX SINTER_ROW_UNARY
#define SINTER_ROW_REDUCTION(...)
#include <sinter/op/table.def>
};

enum class layout { contiguous, strided, broadcast, empty, rank_0 };
inline constexpr const char* layout_names[] = {"contiguous", "strided", "broadcast", "empty", "rank 0"};
inline constexpr std::int64_t copies = 3;  ///< of each element, where operands are broadcast
inline constexpr std::size_t single = 5;   ///< the element that stands alone in rank 0

/// A program put together node by node, and its arguments.
class program_of_rows {
public:
    /// f(x, y, z) of each of the rows, converted to `result`, of 8 or 16 bytes, along a new first axis.
    program_of_rows(const std::vector<const op_row*>& rows, dtype type, dtype result, layout how)
        : how_(how),
          result_(result),
          rank_(how == layout::rank_0      ? 0
                : how == layout::broadcast ? 2
                                           : 1),
          slot_(kept_slot()) {
        const int x = operand(type), y = operand(type), z = operand(type), condition = operand(dtype::bool_);
        const int which = nodes_.leaf(dtype::int32, rank_ + 1);
        int chosen = -1;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const op_row& row = *rows[r];
            std::vector<int> in = {row.rule == dtype_rule::select ? condition : x, y, z};
            in.resize(row.arity);
            int value = nodes_.elementwise(row, result_of(row.rule, type), rank_, in);
            if (nodes_[value].type != result) value = nodes_.cast(result, value);
            if (chosen < 0) {
                chosen = value;
                continue;
            }
            const int number = nodes_.add({.what = ir::kind::constant, .type = dtype::int32, .bits = r});
            const int is_it = nodes_.elementwise(op::equal::row, dtype::bool_, rank_ + 1, {which, number});
            chosen = nodes_.elementwise(op::where::row, result, rank_ + 1, {is_it, value, chosen});
        }
        roots_ = {chosen};
    }

    /// The values' words of 64 bits, a line of `n` elements for each row. `in` holds the operands of `type`, one behind
    /// the other, and the condition.
    std::vector<std::uint64_t> run(const std::vector<std::vector<std::byte>>& in, const std::vector<dtype>& types,
                                   std::size_t rows, std::size_t n) {
        std::vector<detail::storage_ref> leaves;
        for (std::size_t i = 0; i < in.size(); ++i) leaves.push_back(upload(in[i], types[i], n));
        std::vector<std::int64_t> column(static_cast<std::size_t>(rank_) + 1, 1);
        column[0] = static_cast<std::int64_t>(rows);
        std::vector<std::int32_t> numbers(rows);
        for (std::size_t r = 0; r < rows; ++r) numbers[r] = static_cast<std::int32_t>(r);
        leaves.push_back(detail::make_storage(dtype::int32, rank_ + 1, column.data()));
        detail::copy_from_host(leaves.back(), numbers.data());

        std::vector<std::int64_t> extents = {static_cast<std::int64_t>(rows)};
        std::vector<std::int64_t> integers;
        const auto count = static_cast<std::int64_t>(n);
        if (rank_ > 0) extents.push_back(count);
        if (how_ == layout::broadcast) extents.push_back(copies);
        for (std::size_t i = 0; i < in.size(); ++i) {
            if (how_ == layout::strided) integers.insert(integers.end(), {0, 2 * count - 1, -2, count});
            if (how_ == layout::broadcast) integers.insert(integers.end(), {0, 0, 1, count, copies});
        }
        detail::evaluation_result result{.rank = rank_ + 1, .extents = extents.data()};
        detail::evaluate(nodes_.program(roots_, integers.size()), slot_, {leaves.data(), nullptr, integers.data()},
                         &result);
        std::size_t size = 1;
        for (std::int64_t extent : extents) size *= static_cast<std::size_t>(extent);
        std::vector<std::uint64_t> all(size * size_of(result_) / sizeof(std::uint64_t));
        if (size > 0) detail::copy_to_host(all.data(), result.made);
        return all;
    }

private:
    int operand(dtype type) {
        const int leaf = nodes_.leaf(type, how_ == layout::rank_0 ? 0 : 1);
        if (how_ != layout::strided && how_ != layout::broadcast) return leaf;
        const int view = nodes_.add({.what = ir::kind::index_map,
                                     .type = type,
                                     .rank = rank_,
                                     .in = {node_list::as_in(leaf), -1, -1},
                                     .argument = node_list::as_in(integers_)});
        integers_ += ir::index_map_integers(1, rank_);
        return view;
    }
    /// An operand's elements; where they are strided, backwards in every other place, and what lies between is garbage.
    detail::storage_ref upload(const std::vector<std::byte>& values, dtype type, std::size_t n) const {
        const std::size_t size = size_of(type);
        std::vector<std::byte> spread = values;
        std::int64_t extent = static_cast<std::int64_t>(n);
        if (how_ == layout::strided) {
            extent *= 2;
            spread.assign(2 * n * size, std::byte{1});
            for (std::size_t i = 0; i < n; ++i)
                std::memcpy(&spread[(2 * n - 1 - 2 * i) * size], &values[i * size], size);
        }
        if (how_ == layout::rank_0) spread.erase(spread.begin(), spread.begin() + static_cast<long>(single * size));
        auto s = detail::make_storage(type, how_ == layout::rank_0 ? 0 : 1, &extent);
        if (n > 0) detail::copy_from_host(s, spread.data());
        return s;
    }

    layout how_;
    dtype result_;
    std::int8_t rank_;
    detail::plan_slot& slot_;
    node_list nodes_;
    std::vector<int> roots_;
    int integers_ = 0;
};

}  // namespace sinter::test
