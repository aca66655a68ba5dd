// The rows of the op table that the fuzzer knows the meaning of.
#include <tests/fuzz/grow.hpp>

#include <sinter/op/functions.hpp>
#include <tests/fuzz/meaning.hpp>

#include <array>

namespace sinter::fuzz {
namespace {

constexpr const op_row* all_rows[] = {
#define SINTER_ROW_UNARY(name, ...) &op::name::row,
#define SINTER_ROW_BINARY(name, ...) &op::name::row,
#define SINTER_ROW_TERNARY(name, ...) &op::name::row,
#define SINTER_ROW_PREFIX(name, ...) &op::name::row,
#define SINTER_ROW_INFIX(name, ...) &op::name::row,
#define SINTER_ROW_REDUCTION(name, ...) &op::name::row,
#include <sinter/op/table.def>
};

/// A dtype of each kind that tables of meanings are for.
constexpr dtype kinds[] = {dtype::float32, dtype::int64, dtype::complex64};

}  // namespace

const std::vector<const op_row*>& known_rows(bool reductions) {
    static const auto rows = [] {
        std::array<std::vector<const op_row*>, 2> both;
        for (const op_row* row : all_rows)
            for (const dtype type : kinds)
                if (has_meaning(*row, type)) {
                    both[row->is_reduction ? 1 : 0].push_back(row);
                    break;
                }
        return both;
    }();
    return rows[reductions ? 1 : 0];
}

const std::vector<std::string>& unknown_rows() {
    static const auto names = [] {
        std::vector<std::string> all;
        for (const op_row* row : all_rows)
            for (const dtype type : kinds)
                if (computes_in(row->rule, type) && !has_meaning(*row, type))
                    all.push_back(std::string(row->name) + " of " + name(type));
        return all;
    }();
    return names;
}

const op_row& any_row(random& r, bool reduction) {
    const auto& rows = known_rows(reduction);
    // Operators are what graphs are mostly made of; functions take their turn.
    for (int tries = 0; tries < 8 && !reduction && r.percent(50); ++tries)
        if (const op_row* op = r.pick(rows); op->symbol != nullptr) return *op;
    return *r.pick(rows);
}

const op_row& binary_row(random& r) {
    for (;;)
        if (const op_row& op = any_row(r, false); op.arity == 2) return op;
}

}  // namespace sinter::fuzz
