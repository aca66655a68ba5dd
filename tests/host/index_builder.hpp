// Kernels of indices, and the pieces of what is computed of them.
#pragma once

#include <codegen/host/index_pieces.hpp>
#include <codegen/kernel_builder.hpp>

#include <cstdint>
#include <vector>

namespace sinter::codegen::testing {

/// Adds what kernel_builder has no function for: indices and the arithmetic of indices.
struct index_builder : kernel_builder {
    int push(value v) {
        k.values.push_back(v);
        return static_cast<int>(k.values.size()) - 1;
    }
    int index(const strides& along) {
        const int at = load(input(dtype::int64), along);  // for its layout
        value v = k.values[static_cast<std::size_t>(at)];
        k.values.pop_back();
        k.inputs.pop_back();
        v.what = value_kind::index;
        v.input = -1;
        return push(v);
    }
    int of_index(const op_row& op, int x, std::int64_t y) { return of_row(op, {x, constant(y)}); }
    /// An op of indices that is not in the table, of the dtype of its operands.
    int of_row(const op_row& op, const std::vector<int>& in) {
        value v = k.values[static_cast<std::size_t>(in[0])];
        v.what = value_kind::elementwise;
        v.op = &op;
        v.at = -1;
        v.varies = 0;
        v.in = {-1, -1, -1};
        for (std::size_t i = 0; i < in.size(); ++i) {
            v.in[i] = in[i];
            v.varies |= k.values[static_cast<std::size_t>(in[i])].varies;
        }
        return push(v);
    }
    int displaced(int in, const strides& along, int by) {
        const int at = load(in, along);
        value& v = k.values[static_cast<std::size_t>(at)];
        v.in[0] = by;
        v.varies |= k.values[static_cast<std::size_t>(by)].varies;
        return at;
    }
};

/// The values of pieces, element by element.
inline std::vector<std::int64_t> values_of(const std::vector<blocked::piece>& pieces, std::int64_t extent) {
    std::vector<std::int64_t> all;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
        const std::int64_t end = p + 1 < pieces.size() ? pieces[p + 1].begin : extent;
        for (std::int64_t i = pieces[p].begin; i < end; ++i)
            all.push_back(pieces[p].base + pieces[p].step * (i - pieces[p].begin));
    }
    return all;
}

}  // namespace sinter::codegen::testing
