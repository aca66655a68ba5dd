// Two operators in one loop: which steps become one, and that results are those of one operator after the other.
#include <codegen/host/plan.hpp>
#include <codegen/kernel_builder.hpp>
#include <runtime/host/evaluate.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace sinter::codegen::testing {
namespace {

constexpr std::int64_t n = 3001;

std::size_t steps_of(const loop_nest& k) {
    return blocked::make_plan(k, instruction_set::baseline).stages.back().steps.size();
}

template <class T>
T apply(const std::string& name, T x, T y) {
    if (name == "add") return static_cast<T>(x + y);
    return static_cast<T>(name == "subtract" ? x - y : x * y);
}

/// Each operator after each other one, on either side.
template <class T>
void check_all() {
    std::mt19937 random(7);
    std::vector<T> x(n), y(n), z(n), out(n);
    for (std::vector<T>* v : {&x, &y, &z})
        for (T& e : *v)
            e = static_cast<T>(static_cast<double>(random() % 20000) / 79);  // below 254, which every type holds
    for (const std::string first : {"add", "subtract", "multiply"})
        for (const std::string second : {"add", "subtract", "multiply"})
            for (const bool swapped : {false, true}) {
                kernel_builder b;
                const int i = b.outer(n);
                const auto load = [&] { return b.load(b.input(dtype_of<T>), {{i, 1}}); };
                const int px = load(), py = load(), pz = load(), inner = b.op(first, {px, py});
                b.store(b.op(second, swapped ? std::vector<int>{pz, inner} : std::vector<int>{inner, pz}), {{i, 1}});
                EXPECT_EQ(steps_of(b.k), 4u);  // three loads
                const void* in[] = {x.data(), y.data(), z.data()};
                void* to[] = {out.data()};
                evaluate_on_host(b.k, in, to, nullptr);
                for (std::size_t e = 0; e < out.size(); ++e) {
                    const T both = apply(first, x[e], y[e]);
                    ASSERT_EQ(out[e], swapped ? apply(second, z[e], both) : apply(second, both, z[e]))
                        << first << ", " << second << (swapped ? " swapped" : "") << " at " << e;
                }
            }
}

TEST(pairs, of_every_operator_and_dtype) {
    check_all<float>();
    check_all<double>();
    check_all<std::int32_t>();
    check_all<std::uint8_t>();
}

TEST(pairs, what_is_read_twice_stays) {
    kernel_builder b;
    const int i = b.outer(n);
    const int x = b.load(b.input(dtype::float32), {{i, 1}}), y = b.load(b.input(dtype::float32), {{i, 1}});
    const int both = b.op("add", {x, y});
    b.store(b.op("multiply", {both, x}), {{i, 1}});
    b.store(both, {{i, 1}});
    EXPECT_EQ(steps_of(b.k), 4u);
    const int squared = b.op("multiply", {both, both});
    b.k.stores[1].value = squared;
    EXPECT_EQ(steps_of(b.k), 5u);
}

TEST(pairs, of_unlike_dtypes_stay) {
    kernel_builder b;
    const int i = b.outer(n);
    const int x = b.load(b.input(dtype::float32), {{i, 1}}), y = b.load(b.input(dtype::float64), {{i, 1}});
    b.store(b.op("add", {b.op("add", {x, x}), y}), {{i, 1}});
    EXPECT_EQ(steps_of(b.k), 5u);  // two loads, a conversion
}

}  // namespace
}  // namespace sinter::codegen::testing
