// Fourier transforms: shapes, and the parameters of a call.
#include <codegen/functions/fft.hpp>

#include <codegen/ir/print.hpp>
#include <sinter/called_as.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace sinter::codegen {

call_array transformed_array(const std::vector<call_array>& operands, const call_integers& integers, int) {
    const call_array& a = operands[0];
    const auto form = static_cast<fft_form>(integers[0]);
    call_array made = a;
    std::int64_t& last = made.shape[static_cast<std::size_t>(a.rank - 1)];
    if (form == fft_form::half_to_real) last = integers[3];
    for (int axis = a.rank - static_cast<int>(integers[1]); axis < a.rank; ++axis)
        if (made.shape[static_cast<std::size_t>(axis)] < 1 || a.shape[static_cast<std::size_t>(axis)] < 1)
            throw error(
                fmt::format("{}: shape {} has no elements along a transformed axis; give a length of at least 1, "
                            "which pads with zeros",
                            sinter::detail::called("fft"), shape_text(a.shape.data(), a.rank)));
    if (form == fft_form::real_to_half) last = last / 2 + 1;
    made.type = form == fft_form::real_to_half   ? complex_of(a.type)
                : form == fft_form::half_to_real ? real_of(a.type)
                                                 : a.type;
    return made;
}

std::int64_t fft_call::elements(bool half) const {
    std::int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= half && i == rank - 1 ? last() / 2 + 1 : lengths[static_cast<std::size_t>(i)];
    return n;
}

fft_call fft_of(const call_site& call) {
    fft_call f;
    f.form = static_cast<fft_form>(call.integers[0]);
    f.rank = static_cast<int>(call.integers[1]);
    const call_array &in = call.operands[0], &out = call.results[0];
    f.wide = real_of(in.type) == dtype::float64;
    for (int axis = 0; axis < in.rank - f.rank; ++axis) f.batches *= in.shape[static_cast<std::size_t>(axis)];
    const call_array& whole = f.form == fft_form::half_to_real ? out : in;
    double count = 1;
    for (int i = 0; i < f.rank; ++i) {
        f.lengths[static_cast<std::size_t>(i)] = whole.shape[static_cast<std::size_t>(in.rank - f.rank + i)];
        count *= static_cast<double>(f.lengths[static_cast<std::size_t>(i)]);
    }
    const auto scale = static_cast<fft_scale>(call.integers[2]);
    f.factor = scale == fft_scale::none ? 1 : 1 / (scale == fft_scale::root ? std::sqrt(count) : count);
    return f;
}

element_access fft_by_element(const call_site& call) {
    const fft_call f = fft_of(call);
    // the elements of a half spectrum stand for their mirrored ones, too, where the last axis is transformed first
    return {1, 1, f.form == fft_form::half_to_real && f.rank == 1 ? 2.0 : 1.0};
}

bool suits_kernels(const fft_call& f) {
    return !f.wide && f.rank == 1 && f.form != fft_form::real_to_half &&
           std::has_single_bit(static_cast<std::uint64_t>(f.last()));
}

}  // namespace sinter::codegen
