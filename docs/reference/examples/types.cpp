// Examples of types, of what is known of dtypes, and of functions of the user's own.
#include "show.hpp"

#include <sinter/dtype_info.hpp>
#include <sinter/grids.hpp>
#include <sinter/mdspan.hpp>

#include <numeric>

using namespace sinter;

DEFINITION(softsign_text, SINTER_UNARY(softsign, floating, x / (T(1) + abs(x))))
DEFINITION(weighted_text, SINTER_BINARY(weighted, floating, x* T(0.25) + y * T(0.75)))
DEFINITION(blend_text, SINTER_TERNARY(blend, floating, x + z * (y - x)))
DEFINITION(bits_text, SINTER_REDUCTION(bits_of_all, integral, identity, T(0), x | y))
DEFINITION(
    twice_text, template <operand A> auto twice(const A& a) { return a + a; })
DEFINITION(
    added_text, template <operand A, operand_or_scalar B> auto added(const A& a, const B& b) { return a + b; })
DEFINITION(
    zero_text, template <element_type T> T zero() { return element_t<dtype_of<T>>(0); })

// What std::mdspan has in C++23, of two axes.
DEFINITION(
    matrix_text, struct matrix {
        using element_type = const float;
        const float* first;
        std::int64_t rows, columns;
        static constexpr std::size_t rank() { return 2; }
        const float* data_handle() const { return first; }
        std::int64_t extent(std::size_t a) const { return a == 0 ? rows : columns; }
        std::int64_t stride(std::size_t a) const { return a == 0 ? columns : 1; }
    };)

int main() {
    SECTION(operands);
    DO(array<float, 2> x = {{1, 2, 3}, {4, 5, 6}});
    DO(array<int, 1> i = {1, 2, 4});

    SECTION(dtype_kind, kind_of);
    SHOW(kind_of(dtype::float16) == dtype_kind::floating);
    SHOW(kind_of(dtype::uint8) < kind_of(dtype::int8));
    SECTION(size_of);
    SHOW(size_of(dtype::complex64));
    SECTION(is_floating, is_integer, is_complex, is_half, is_float8, is_storage_only);
    SHOW(is_floating(dtype::bfloat16));
    SHOW(is_integer(dtype::bool_));
    SHOW(is_complex(dtype::complex128));
    SHOW(is_half(dtype::bfloat16));
    SHOW(is_float8(dtype::float8_e4m3));
    SHOW(is_storage_only(dtype::float32));
    SECTION(default_float);
    SHOW(name(default_float));
    SHOW(name(mean(i).dtype()));
    SECTION(real_of, complex_of);
    SHOW(name(real_of(dtype::complex64)));
    SHOW(name(complex_of(dtype::float32)));
    SECTION(computed_in);
    SHOW(name(computed_in(dtype::float16)));
    SECTION(promote_weak);
    SHOW(name(promote_weak(dtype::float64, dtype::float32)));
    SHOW(name(promote_weak(dtype::float64, dtype::int32)));
    SECTION(assignable);
    SHOW(assignable(dtype::float32, dtype::float64));
    SHOW(assignable(dtype::int32, dtype::float32));
    SECTION(element_type, element_t);
    TEXT(zero_text);
    SHOW(zero<float>());
    SHOW(name(dtype_of<element_t<dtype::int16>>));
    SECTION(floating_limits, integer_limits);
    DO(const floating_limits single = finfo(dtype::float32));
    SHOW(single.bits);
    DO(const integer_limits<short> small = iinfo<short>());
    SHOW(small.max);
    SECTION(max_rank);
    SHOW(max_rank);

    SECTION(expr, operand);
    TEXT(twice_text);
    SHOW(twice(x));
    SHOW(twice(exp(x) - 1).shape());
    SHOW(launches<decltype(twice(x))>);
    SECTION(operand_or_scalar);
    TEXT(added_text);
    SHOW(added(i, 0.5));
    SECTION(host_span);
    DO(const host_span<float, 2> values = x.host_view());
    SHOW(values(1, 0));
    SHOW(std::accumulate(values.begin(), values.end(), 0.f));
    SECTION(mdspan_like, as_mdspan);
    TEXT(matrix_text);
    DO(const auto m = as_mdspan<matrix>(x));
    SHOW(m.extent(1));
    SHOW(wrap(m));

    SECTION(end_t, ellipsis_t, newaxis_t);
    SHOW(i(end - 1));
    SHOW(x(ellipsis, newaxis).shape());
    SECTION(xy);
    DO(auto [columns, rows] = meshgrid(indexing::xy, i, i(range(0, 2))));
    SHOW(columns);
    SHOW(rows);

    SECTION(npy_info);
    DO(save_npy("types.npy", x));
    DO(const npy_info in_file = inspect_npy("types.npy"));
    SHOW(name(in_file.type));
    SHOW(in_file.fortran_order);
    SECTION(npz_entry, npz_member, npz_limits);
    DO(std::vector<npz_entry> entries = {{"x", x}, {"sums", sum(x, axis=1)}});
    DO(save_npz("types.npz", entries));
    DO(const std::vector<npz_member> members = inspect_npz("types.npz", npz_limits{.max_entries = 100}));
    SHOW(members[1].name);
    FAILS(inspect_npz("types.npz", {.max_entries = 1}));

    SECTION(explanation, kernel_report, tree_node);
    DO(const explanation e = explain(sum(x * x)));
    SHOW(e.bytes_fused);
    DO(const kernel_report& kernel = e.kernels[0]);
    SHOW(kernel.expression);
    DO(const tree_node& root = e.nodes[static_cast<std::size_t>(e.roots[0])]);
    SHOW(root.label);
    SECTION(raw_kernel, grid, block);
    DO(raw_kernel scale("extern \"C\" __global__ void scale(float* y, float a) { y[threadIdx.x] *= a; }", "scale"));
    FAILS(scale(grid{1}, block{6}, 0, x, 2.f));

    SECTION(SINTER_UNARY);
    TEXT(softsign_text);
    SHOW(softsign(x));
    SECTION(SINTER_BINARY);
    TEXT(weighted_text);
    SHOW(weighted(x, 4));
    SECTION(SINTER_TERNARY);
    TEXT(blend_text);
    SHOW(blend(x, 10, 0.5));
    SECTION(SINTER_REDUCTION);
    TEXT(bits_text);
    SHOW(bits_of_all(i));
}
