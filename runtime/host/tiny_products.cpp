// Products of matrices of a few rows and columns, for one instruction set: what a part's tiles take to begin would be
// most of their time. Compiled once per instruction set, which SINTER_ISA names.
//
// A row of B is one vector, so a row of the result is a sum of such vectors, each times an element of A. Elements are
// summed step by step, as in product_tiles.cpp, whatever the width of the vectors.
#include <codegen/ir/round.hpp>
#include <codegen/rows/form.hpp>
#include <runtime/host/product_packing.hpp>
#include <runtime/host/tiles.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace sinter::codegen {
namespace {

/// Products whose rows have `Columns` elements, in vectors of a power of two.
template <class T, std::size_t Columns>
class tiny_products {
public:
    tiny_products(const gemm& g, const gemm_pointers& p) : g_(g), p_(p), strides_(operand_strides_of(g)) {}

    void multiply(std::int64_t batch, std::int64_t end) const {
        if (strides_.column_b == 1 && lanes == Columns) return multiply_in_place(batch, end);
        const std::int64_t in_place = strides_.column_b == 1 ? std::clamp(last_in_place() + 1, batch, end) : batch;
        multiply_in_place(batch, in_place);
        for (batch = in_place; batch < end; ++batch) {
            T packed[most_tiny_steps * lanes] = {};
            for (std::int64_t k = 0; k < g_.depth; ++k)
                for (std::size_t j = 0; j < Columns; ++j)
                    packed[k * lanes + static_cast<std::int64_t>(j)] =
                        b(batch)[k * strides_.step_b + static_cast<std::int64_t>(j) * strides_.column_b];
            multiply_one(a(batch), packed, lanes, d(batch));
        }
    }

private:
    static constexpr std::int64_t lanes = std::max(std::bit_ceil(Columns), 16 / sizeof(T));
    using vector [[gnu::vector_size(lanes * sizeof(T))]] = T;

    const T* a(std::int64_t batch) const { return reinterpret_cast<const T*>(p_.a) + batch * g_.batch.a; }
    const T* b(std::int64_t batch) const { return reinterpret_cast<const T*>(p_.b) + batch * g_.batch.b; }
    T* d(std::int64_t batch) const { return reinterpret_cast<T*>(p_.d) + batch * g_.batch.d; }

    /// The last matrix B whose last row's vector ends before the last matrix does; -1 if none does.
    std::int64_t last_in_place() const {
        if (g_.batch.b <= 0) return -1;
        const std::int64_t beyond = lanes - static_cast<std::int64_t>(Columns);
        return g_.batch.extent - 1 - divide_up(beyond, g_.batch.b);
    }

    void multiply_in_place(std::int64_t batch, std::int64_t end) const {
        for (; batch < end; ++batch) multiply_one(a(batch), b(batch), strides_.step_b, d(batch));
    }

    [[gnu::always_inline]] void multiply_one(const T* a, const T* b, std::int64_t step_b, T* d) const {
        std::int64_t rows = g_.rows;
        for (; rows >= 4; rows -= 4, a += 4 * strides_.row_a, d += 4 * g_.d.leading) multiply_rows<4>(a, b, step_b, d);
        if (rows == 3) return multiply_rows<3>(a, b, step_b, d);
        if (rows == 2) return multiply_rows<2>(a, b, step_b, d);
        if (rows == 1) multiply_rows<1>(a, b, step_b, d);
    }

    template <int Rows>
    [[gnu::always_inline]] void multiply_rows(const T* a, const T* b, std::int64_t step_b, T* d) const {
        vector sum[Rows] = {};
        for (std::int64_t k = 0; k < g_.depth; ++k) {
            vector row;
            std::memcpy(&row, b + k * step_b, sizeof row);
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r) sum[r] += a[r * strides_.row_a + k * strides_.step_a] * row;
        }
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) std::memcpy(d + r * g_.d.leading, &sum[r], Columns * sizeof(T));
    }

    const gemm& g_;
    const gemm_pointers& p_;
    const operand_strides strides_;
};

template <class T, std::size_t Columns = most_tiny_row / sizeof(T)>
void multiply_batches(const gemm& g, const gemm_pointers& p, std::int64_t batch, std::int64_t end) {
    if (g.columns == static_cast<std::int64_t>(Columns)) return tiny_products<T, Columns>(g, p).multiply(batch, end);
    if constexpr (Columns > 1) multiply_batches<T, Columns - 1>(g, p, batch, end);
}

}  // namespace

void SINTER_FORM(multiply_tiny)(const gemm& g, const gemm_pointers& p, std::int64_t batch, std::int64_t end) {
    if (g.a.type == dtype::float32) return multiply_batches<float>(g, p, batch, end);
    multiply_batches<double>(g, p, batch, end);
}

}  // namespace sinter::codegen
