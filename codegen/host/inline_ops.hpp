// Ops as C++ source whose values no compiler changes: bodies of the op table that are arithmetic alone, and
// conversions. An op that calls a function whose last bits are the library's own stays a loop of codegen/rows.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <set>
#include <string>
#include <string_view>
#include <tuple>

namespace sinter::codegen::blocked {

/// Whether a body that computes in `type` is arithmetic whose result is the same under every compiler.
bool is_inline(const op_row& row, dtype type);
/// Whether such source can compute with values of this dtype.
bool is_inline(dtype type);

/// A row of the op table and the dtype in which its body computes. Ordered as in the table rather than by address, so
/// that the source is deterministic.
class inline_op {
public:
    inline_op(const op_row* of, dtype in) : row(of), type(in) {}

    const op_row* row;
    dtype type;

    bool operator<(const inline_op& other) const { return key() < other.key(); }

private:
    std::tuple<int, dtype, std::string_view, std::string_view> key() const {
        return {row->builtin, type, row->name, row->body};
    }
};

/// The name of the function that computes a row, and its definition.
std::string function_name_of(const inline_op& op);
std::string function_text_of(const inline_op& op);

/// Whether a conversion is best computed inline.
bool converts_inline(dtype to, dtype from);
/// The conversion of the expression x, with the results of cast_loop.
std::string conversion_text(dtype to, dtype from, const std::string& x);

/// The name of a dtype in this source, and of its elements in memory. Half types are represented by their bits, since
/// compilers vectorise integers but not classes.
std::string value_type(dtype type);
std::string memory_type(dtype type);

/// The start of each translation unit. It includes no headers: parsing them would take longer than compiling the loops.
const std::string& inline_prelude();

/// A translation unit: the prelude, the number types and device snippets that are used, the ops, then `functions`.
std::string translation_unit(const std::set<inline_op>& ops, const std::string& functions);

}  // namespace sinter::codegen::blocked
