// Elements of operands, and the search for elements that were not written: they process hundreds of megabytes.
#include <bench/corpus/program.hpp>

#include <algorithm>

namespace corpus {

template <class T>
std::vector<T> made_numbers(std::uint32_t seed, std::int64_t n, double low, double high) {
    if constexpr (sinter::is_complex(sinter::dtype_of<T>)) {
        using part = typename T::value_type;
        const auto parts = made_numbers<part>(seed, 2 * n, low, high);
        std::vector<T> out;
        out.reserve(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < parts.size(); i += 2) out.emplace_back(parts[i], parts[i + 1]);
        return out;
    } else {
        return bench::values<T>(seed, n, low, high, [](double v) {
            if constexpr (std::is_integral_v<T>)
                return static_cast<T>(std::floor(v));
            else if constexpr (sizeof(T) == 2)
                return static_cast<T>(static_cast<float>(v));
            else
                return static_cast<T>(v);
        });
    }
}

template <class T>
std::int64_t count_nan(const std::vector<T>& elements) {
    if constexpr (std::is_integral_v<T>)
        return 0;
    else if constexpr (sinter::is_complex(sinter::dtype_of<T>))
        return std::count_if(elements.begin(), elements.end(), [](const T& v) { return std::isnan(v.real()); });
    else
        return std::count_if(elements.begin(), elements.end(),
                             [](const T& v) { return std::isnan(static_cast<float>(v)); });
}

template std::vector<std::uint8_t> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<std::uint8_t>&);
template std::vector<std::int8_t> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<std::int8_t>&);
template std::vector<std::int16_t> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<std::int16_t>&);
template std::vector<std::int32_t> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<std::int32_t>&);
template std::vector<std::int64_t> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<std::int64_t>&);
template std::vector<float> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<float>&);
template std::vector<double> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<double>&);
template std::vector<sinter::float16> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<sinter::float16>&);
template std::vector<sinter::bfloat16> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<sinter::bfloat16>&);
template std::vector<std::complex<float>> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<std::complex<float>>&);
template std::int64_t count_nan(const std::vector<bool>&);

}  // namespace corpus
