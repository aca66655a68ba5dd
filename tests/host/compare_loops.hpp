// Kernels evaluated by the library's loops and by compiled ones, which must give the same bits.
#pragma once

#include <codegen/kernel_builder.hpp>
#include <runtime/host/evaluate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

namespace sinter::codegen::testing {

using strides = kernel_builder::strides;
using memory = std::vector<std::byte>;

/// Values of every kind: small ones, and, for floating numbers, zeros of both signs, infinities and NaN.
inline void fill(memory& bytes, dtype type, std::mt19937& random) {
    const std::size_t part = is_complex(type) ? size_of(type) / 2 : size_of(type);
    const auto put = [&](std::size_t at, auto v) { std::memcpy(bytes.data() + at, &v, sizeof v); };
    for (std::size_t at = 0; at + part <= bytes.size(); at += part) {
        const double x = std::uniform_real_distribution<double>(-3, 3)(random);
        const double special[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan(""), 1e-310, 7e4, -3e38};
        const double value = random() % 23 == 0 ? special[random() % 8] : x;
        switch (type) {
            case dtype::float32:
            case dtype::complex64: put(at, static_cast<float>(value)); break;
            case dtype::float64:
            case dtype::complex128: put(at, value); break;
            case dtype::bool_: put(at, static_cast<std::uint8_t>(random() & 1)); break;
            case dtype::float8_e4m3: put(at, float8_e4m3(value).bits); break;
            case dtype::float8_e5m2: put(at, float8_e5m2(value).bits); break;
            case dtype::float16: put(at, float16(value).bits); break;
            case dtype::bfloat16: put(at, bfloat16(value).bits); break;
            default:
                for (std::size_t b = 0; b < part; ++b) put(at + b, static_cast<std::uint8_t>(random()));
        }
    }
}

/// Elements that a layout reaches from 0 on; the tests' strides are none below 0.
inline std::size_t reached(const loop_nest& k, int at) { return static_cast<std::size_t>(reach_of(k, at).elements()); }

/// NaN are one: their signs and payloads are not IEEE 754's to decide.
inline void unify_nan(memory& bytes, dtype type) {
    const auto each = [&]<class T>(T) {
        for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
            T v;
            std::memcpy(&v, bytes.data() + at, sizeof v);
            if (v != v) std::memset(bytes.data() + at, 0x7f, sizeof v);
        }
    };
    if (real_of(type) == dtype::float32) each(float());
    if (real_of(type) == dtype::float64) each(double());
    if (is_float8(type))
        for (std::byte& one : bytes)
            if (std::to_integer<int>(one & std::byte{0x7f}) > (type == dtype::float8_e4m3 ? 0x7e : 0x7c))
                one = std::byte{0x7f};
    if (is_half(type))
        for (std::size_t at = 0; at + 2 <= bytes.size(); at += 2) {
            std::uint16_t bits;
            std::memcpy(&bits, bytes.data() + at, 2);
            const int infinity = type == dtype::float16 ? 0x7c00 : 0x7f80;
            if ((bits & 0x7fff) > infinity) std::memset(bytes.data() + at, 0x7f, 2);
        }
}

/// Evaluates both ways and compares all that is in memory. `in_place` is the input that the first output lies over.
inline void check(const loop_nest& k, unsigned seed, const ir::scalar_bits* scalars = nullptr, int in_place = -1,
                  const std::vector<memory>* given = nullptr) {
    const host_plan plain = plan_on_host(k, compiled_loops::never), fused = plan_on_host(k, compiled_loops::at_once);
    ASSERT_FALSE(runs_compiled_loops(*plain));
    ASSERT_TRUE(runs_compiled_loops(*fused)) << "nothing was fused";
    std::mt19937 random(seed);
    std::vector<memory> inputs(k.inputs.size()), outputs(k.outputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::size_t elements = 1;
        for (const value& v : k.values)
            if (v.what == value_kind::load && v.input == static_cast<int>(i))
                elements = std::max(elements, reached(k, v.at) + (v.in[0] >= 0 ? 1000 : 0));
        inputs[i].resize(elements * size_of(k.inputs[i].type));
        fill(inputs[i], k.inputs[i].type, random);
        if (given != nullptr && !(*given)[i].empty()) inputs[i] = (*given)[i];
    }
    for (const kernel_store& s : k.stores)
        outputs[static_cast<std::size_t>(s.output)].resize(reached(k, s.at) *
                                                           size_of(k.outputs[static_cast<std::size_t>(s.output)]));
    const auto run = [&](const host_plan& p) {
        std::vector<memory> in = inputs, out = outputs;
        std::vector<const void*> from;
        std::vector<void*> to;
        for (memory& m : in) from.push_back(m.data());
        for (memory& m : out) to.push_back(m.data());
        if (in_place >= 0) to[0] = in[static_cast<std::size_t>(in_place)].data();
        evaluate_on_host(*p, from.data(), to.data(), scalars);
        if (in_place >= 0) out[0] = in[static_cast<std::size_t>(in_place)];
        for (std::size_t o = 0; o < out.size(); ++o) unify_nan(out[o], k.outputs[o]);
        return out;
    };
    const std::vector<memory> expected = run(plain), found = run(fused);
    for (std::size_t o = 0; o < expected.size(); ++o)
        for (std::size_t at = 0; at < expected[o].size(); ++at)
            ASSERT_EQ(found[o][at], expected[o][at]) << "output " << o << ", element " << at / size_of(k.outputs[o])
                                                     << " of " << expected[o].size() / size_of(k.outputs[o]);
}

inline strides dense(const kernel_builder& b, const std::vector<int>& axes) {
    strides all;
    std::int64_t step = 1;
    for (auto a = axes.rbegin(); a != axes.rend(); ++a) {
        all.push_back({*a, step});
        step *= b.k.extents[static_cast<std::size_t>(*a)];
    }
    return all;
}

}  // namespace sinter::codegen::testing
