// Copies elements to the host in chunks and searches them there.
#include <runtime/launch/elements.hpp>

#include <runtime/devices/device.hpp>
#include <runtime/order/order.hpp>
#include <sinter/dtype.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <vector>

namespace sinter::codegen {
namespace {

constexpr std::int64_t bytes_at_a_time = 4 << 20;

/// Calls see(data, first, count) on host memory with consecutive chunks of the elements from `first` to `last`, until
/// it returns true. Waits for the work that computes them.
template <class See>
void see_elements(const detail::storage& s, std::int64_t first, std::int64_t last, const See& see) {
    const auto size = static_cast<std::int64_t>(size_of(s.type));
    last = std::min(last, static_cast<std::int64_t>(s.bytes) / size);
    if (first >= last) return;
    order_read(const_cast<detail::storage&>(s));
    const char* const data = static_cast<const char*>(s.data);
    if (s.where->is_host()) {
        see(data + first * size, first, last - first);
        return;
    }
    const std::int64_t most = bytes_at_a_time / size;
    std::vector<char> copy(static_cast<std::size_t>(std::min(most, last - first) * size));
    for (; first < last; first += most) {
        const std::int64_t count = std::min(most, last - first);
        s.where->copy_to_host(copy.data(), data + first * size, static_cast<std::size_t>(count * size));
        if (see(copy.data(), first, count)) return;
    }
}

/// Index of the first of `count` floating values, given as bits, whose exponent bits are all set; `count` if none.
template <class Bits>
std::int64_t position_of_nonfinite(const char* data, std::int64_t count, Bits exponent) {
    std::vector<Bits> some(4096);
    for (std::int64_t at = 0; at < count; at += static_cast<std::int64_t>(some.size())) {
        const auto n = static_cast<std::size_t>(std::min<std::int64_t>(std::ssize(some), count - at));
        std::memcpy(some.data(), data + at * static_cast<std::int64_t>(sizeof(Bits)), n * sizeof(Bits));
        bool any = false;  // a branch-free loop first
        for (std::size_t i = 0; i < n; ++i) any |= (some[i] & exponent) == exponent;
        if (!any) continue;
        for (std::size_t i = 0; i < n; ++i)
            if ((some[i] & exponent) == exponent) return at + static_cast<std::int64_t>(i);
    }
    return count;
}

std::int64_t position_of_nonfinite(dtype part, const char* data, std::int64_t count) {
    switch (part) {
        case dtype::float8_e4m3: return position_of_nonfinite<std::uint8_t>(data, count, 0x7F);  // NaN
        case dtype::float8_e5m2: return position_of_nonfinite<std::uint8_t>(data, count, 0x7C);
        case dtype::float16: return position_of_nonfinite<std::uint16_t>(data, count, 0x7C00);
        case dtype::bfloat16: return position_of_nonfinite<std::uint16_t>(data, count, 0x7F80);
        case dtype::float32: return position_of_nonfinite<std::uint32_t>(data, count, 0x7F800000);
        case dtype::float64: return position_of_nonfinite<std::uint64_t>(data, count, 0x7FF0000000000000);
        default: return count;
    }
}

template <class T>
T value_at(const void* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
std::string number_text(T x) {
    return std::isnan(x) ? "nan" : fmt::format("{}", x);
}

template <class T>
std::string complex_text(const char* p) {
    const T re = value_at<T>(p), im = value_at<T>(p + sizeof(T));
    const bool minus = std::signbit(im) && !std::isnan(im);
    return fmt::format("{}{}{}j", number_text(re), minus ? "" : "+", number_text(im));
}

std::string text_of(dtype type, const char* p) {
    if (detail::is_accumulator(type)) return "?";
    return detail::with_dtype(type, [p]<dtype D>() -> std::string {
        using T = element_t<D>;
        if constexpr (is_complex(D))
            return complex_text<typename T::value_type>(p);
        else if constexpr (D == dtype::bool_)
            return value_at<bool>(p) ? "true" : "false";
        else if constexpr (is_floating(D))
            return number_text(static_cast<element_t<computed_in(D)>>(value_at<T>(p)));
        else
            return std::to_string(value_at<T>(p));
    });
}

}  // namespace

std::optional<std::int64_t> first_nonfinite(const detail::storage& s, std::int64_t first, std::int64_t last) {
    std::optional<std::int64_t> found;
    const dtype part = real_of(s.type);
    if (!is_floating(part)) return found;
    const std::int64_t parts = is_complex(s.type) ? 2 : 1;
    see_elements(s, first, last, [&](const char* data, std::int64_t from, std::int64_t count) {
        const std::int64_t at = position_of_nonfinite(part, data, parts * count);
        if (at < parts * count) found = from + at / parts;
        return found.has_value();
    });
    return found;
}

std::optional<std::int64_t> first_beyond(const detail::storage& s, std::int64_t extent) {
    std::optional<std::int64_t> found;
    see_elements(s, 0, s.bytes, [&](const char* data, std::int64_t from, std::int64_t count) {
        for (std::int64_t i = 0; i < count && !found; ++i) {
            const auto index = value_at<std::int64_t>(data + i * 8);
            const bool counts_back = s.type != dtype::uint64 && index >= -extent;
            if (index < 0 ? !counts_back : index >= extent) found = from + i;
        }
        return found.has_value();
    });
    return found;
}

std::int64_t integer_at(const detail::storage& s, std::int64_t i) {
    std::int64_t value = 0;
    see_elements(s, i, i + 1, [&](const char* data, std::int64_t, std::int64_t) {
        value = s.type == dtype::bool_ ? value_at<bool>(data) : value_at<std::int64_t>(data);
        return true;
    });
    return value;
}

std::string text_at(const detail::storage& s, std::int64_t i) {
    std::string text;
    see_elements(s, i, i + 1, [&](const char* data, std::int64_t, std::int64_t) {
        text = text_of(s.type, data);
        return true;
    });
    return text;
}

}  // namespace sinter::codegen
