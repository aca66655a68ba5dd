// Linear algebra on a device: one kernel. Small square matrices are factored in registers, several per warp; otherwise
// a block has one matrix, in shared memory if it fits, else in a workspace.
#include <codegen/cuda/linalg.hpp>
#include <codegen/functions/linalg.hpp>
#include <codegen/ir/round.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <bit>

namespace sinter::codegen {
namespace {

using kind = call_argument::kind;

/// Shared memory per block: three blocks then fit a multiprocessor with 100 KiB.
constexpr std::int64_t max_shared_bytes = 32 * 1024;

call_argument integer(std::int64_t n) { return {kind::number, 0, n}; }

constexpr int threads_of_lanes = 64;

/// The launch of a kernel whose matrices have their rows in registers.
call_launches launch_in_lanes(linalg_source source, std::int64_t count, std::vector<call_argument> arguments) {
    source.threads = threads_of_lanes;
    const std::int64_t per_block = source.threads / lanes_of_order(source.order);
    call_launches all;
    all.kernels.push_back({fmt::format("linalg {} {} {} in lanes {} {}", static_cast<int>(source.which),
                                       static_cast<int>(source.type), source.threads, source.order, source.sides),
                           [source](const argument_functions&) {
                               return printed_kernel{linalg_text(source), "sinter_kernel", {}};
                           },
                           divide_up(count, per_block), source.threads, std::move(arguments)});
    return all;
}

linalg_source source_in_lanes(linalg_kernel which, const matrices& a, dtype type) {
    linalg_source source{which, type};
    source.order = static_cast<int>(a.rows);
    return source;
}

/// A result's address, or a null pointer if it is not wanted.
call_argument result(const call_site& call, int r) {
    return call.wants(r) ? call_argument{kind::result, r, 0} : integer(0);
}

/// The launch of a kernel that needs working memory per matrix, in elements of its dtype. Rows in shared memory have
/// odd lengths, which avoids bank conflicts.
class matrix_launch {
public:
    matrix_launch(linalg_kernel which, const call_site& call, std::int64_t blocks, std::int64_t longest)
        : source_{which, call.operands[0].type}, blocks_(blocks), longest_(longest) {}

    /// `elements(pad)`: number of elements that the kernel works in, where pad(n) is the padded length of a row.
    template <class F>
    call_launches with(std::vector<call_argument> arrays, const F& elements, const std::vector<call_argument>& rest) {
        const auto size = static_cast<std::int64_t>(size_of(source_.type));
        const std::int64_t in_shared = elements([](std::int64_t n) { return n | 1; });
        const std::int64_t bytes = round_up(elements([](std::int64_t n) { return n; }) * size, std::int64_t{256});
        const auto capacity =
            static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(in_shared < 64 ? 64 : in_shared)));
        const bool fits = capacity * size <= max_shared_bytes;
        source_.capacity = fits ? static_cast<int>(capacity) : 0;
        source_.threads = !fits ? 256 : longest_ <= 32 ? 32 : 128;
        call_launches all;
        if (!fits) all.workspace_bytes = bytes * blocks_;
        arrays.push_back(fits ? integer(0) : call_argument{kind::workspace, 0, 0});
        arrays.push_back(integer(bytes));
        arrays.insert(arrays.end(), rest.begin(), rest.end());
        all.kernels.push_back({fmt::format("linalg {} {} {} {}", static_cast<int>(source_.which),
                                           static_cast<int>(source_.type), source_.threads, source_.capacity),
                               [s = source_](const argument_functions&) {
                                   return printed_kernel{linalg_text(s), "sinter_kernel", {}};
                               },
                               blocks_, source_.threads, std::move(arrays)});
        return all;
    }

private:
    linalg_source source_;
    std::int64_t blocks_, longest_;
};

}  // namespace

call_launches solve_on_device(const call_site& call, const device_properties&) {
    const bool inverts = call.operands.size() == 1;
    const call_array& a = call.operands[0];
    const matrices x = matrices_of(call.results[0]);
    const bool in_lanes = fits_lanes(linalg_kernel::solve, a.type, x.rows, x.rows);
    std::vector<call_argument> rest = {integer(in_lanes ? x.count : x.rows), integer(x.columns)};
    for (const batch_axis& axis : batches_of_solve(a, inverts ? a : call.operands[1]))
        for (const std::int64_t n : {axis.extent, axis.step_a, axis.step_b}) rest.push_back(integer(n));
    const call_argument b = inverts ? integer(0) : call_argument{kind::operand, 1, 0};
    if (in_lanes) {
        linalg_source source = source_in_lanes(linalg_kernel::solve, x, a.type);
        source.sides = x.columns == 1 ? 1 : 4;
        rest.insert(rest.begin(), {result(call, 0), {kind::operand, 0, 0}, b});
        return launch_in_lanes(source, x.count, std::move(rest));
    }
    return matrix_launch(linalg_kernel::solve, call, x.count, x.rows)
        .with(
            {result(call, 0), {kind::operand, 0, 0}, b},
            [&](const auto& pad) { return x.rows * pad(x.rows + x.columns); }, rest);
}

call_launches cholesky_on_device(const call_site& call, const device_properties&) {
    const matrices a = matrices_of(call.operands[0]);
    const dtype type = call.operands[0].type;
    if (fits_lanes(linalg_kernel::cholesky, type, a.rows, a.columns))
        return launch_in_lanes(source_in_lanes(linalg_kernel::cholesky, a, type), a.count,
                               {result(call, 0), {kind::operand, 0, 0}, integer(a.count), integer(call.integers[0])});
    return matrix_launch(linalg_kernel::cholesky, call, a.count, a.rows)
        .with({result(call, 0), {kind::operand, 0, 0}}, [&](const auto& pad) { return a.rows * pad(a.rows); },
              {integer(a.rows), integer(call.integers[0])});
}

call_launches lu_on_device(const call_site& call, const device_properties&) {
    const matrices a = matrices_of(call.operands[0]);
    const dtype type = call.operands[0].type;
    if (fits_lanes(linalg_kernel::lu, type, a.rows, a.columns))
        return launch_in_lanes(source_in_lanes(linalg_kernel::lu, a, type), a.count,
                               {result(call, 0), result(call, 1), {kind::operand, 0, 0}, integer(a.count)});
    return matrix_launch(linalg_kernel::lu, call, a.count, a.rows)
        .with({result(call, 0), result(call, 1), {kind::operand, 0, 0}},
              [&](const auto& pad) { return a.rows * pad(a.columns); }, {integer(a.rows), integer(a.columns)});
}

call_launches det_on_device(const call_site& call, const device_properties&) {
    const matrices a = matrices_of(call.operands[0]);
    const dtype type = call.operands[0].type;
    if (fits_lanes(linalg_kernel::det, type, a.rows, a.columns))
        return launch_in_lanes(
            source_in_lanes(linalg_kernel::det, a, type), a.count,
            {result(call, 0), result(call, 1), result(call, 2), {kind::operand, 0, 0}, integer(a.count)});
    return matrix_launch(linalg_kernel::det, call, a.count, a.rows)
        .with({result(call, 0), result(call, 1), result(call, 2), {kind::operand, 0, 0}},
              [&](const auto& pad) { return a.rows * pad(a.rows); }, {integer(a.rows)});
}

call_launches qr_on_device(const call_site& call, const device_properties&) {
    const matrices a = matrices_of(call.operands[0]);
    const std::int64_t kept = call.integers[0] != 0 ? a.rows : a.shorter();
    return matrix_launch(linalg_kernel::qr, call, a.count, kept > a.columns ? kept : a.columns)
        .with({result(call, 0), result(call, 1), {kind::operand, 0, 0}},
              [&](const auto& pad) { return a.rows * (pad(a.columns) + pad(kept)) + a.shorter(); },
              {integer(a.rows), integer(a.columns), integer(kept)});
}

call_launches eigh_on_device(const call_site& call, const device_properties&) {
    const matrices a = matrices_of(call.operands[0]);
    return matrix_launch(linalg_kernel::eigh, call, a.count, 2 * a.rows)
        .with({result(call, 0), result(call, 1), {kind::operand, 0, 0}},
              [&](const auto& pad) { return (call.wants(1) ? 2 : 1) * a.rows * pad(a.rows) + 3 * ((a.rows + 1) / 2); },
              {integer(a.rows), integer(call.integers[0])});
}

call_launches svd_on_device(const call_site& call, const device_properties&) {
    const matrices a = matrices_of(call.operands[0]);
    const std::int64_t length = a.rows < a.columns ? a.columns : a.rows, count = a.shorter();
    const std::int64_t kept = call.integers[0] != 0 ? length : count;
    const bool has_vectors = call.wants(0) || call.wants(2);
    return matrix_launch(linalg_kernel::svd, call, a.count, 8 * count)
        .with({result(call, 0), result(call, 1), result(call, 2), {kind::operand, 0, 0}},
              [&](const auto& pad) {
                  const std::int64_t vectors = has_vectors ? kept * pad(length) + count * pad(count) : 0;
                  return vectors + count * pad(length) + count + kept;
              },
              {integer(a.rows), integer(a.columns), integer(kept)});
}

call_launches eig_on_device(const call_site&, const device_properties&) {
    throw error(
        "eig: on a GPU it needs cuSOLVER of CUDA 12.8 or newer; evaluate it on the host, eig(x.to(host())), or write "
        "eigh for Hermitian matrices");
}

}  // namespace sinter::codegen
