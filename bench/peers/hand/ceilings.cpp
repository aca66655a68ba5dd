// Measures the machine's ceilings. Cases of one extent, the number of floats; results are not checked.
#include <bench/peers/hand/contest.hpp>

namespace bench {
namespace {

template <class F>
void ceiling(const trial& t, const char* name, F call) {
    require_multiple(t, t.extents<1>()[0], 8192);
    const kernel k("ceilings.cu", name);
    report r;
    r.launches = 1;
    stream_clock clock;
    r.time = time_calls(clock, t.sets, t.once, [&](std::size_t i) { call(k, i); });
    print(t, r);
}

std::vector<sinter::array<float, 1>> memory(const trial& t) { return operands<float>(t, 0, t.extents<1>()); }

const registration copy("ceiling_copy.float32", [](const trial& t) {
    const auto x = memory(t), out = memory(t);
    const long long blocks = t.extents<1>()[0] / 4096;
    ceiling(t, "copy", [&](const kernel& k, std::size_t i) { k({blocks}, data(out, i), data(x, i)); });
});
const registration read("ceiling_read.float32", [](const trial& t) {
    const auto x = memory(t), out = memory(t);
    const long long blocks = t.extents<1>()[0] / 8192;
    ceiling(t, "read", [&](const kernel& k, std::size_t i) { k({blocks}, data(out, i), data(x, i)); });
});
const registration fill("ceiling_fill.float32", [](const trial& t) {
    const auto out = memory(t);
    const long long blocks = t.extents<1>()[0] / 4096;
    ceiling(t, "fill", [&](const kernel& k, std::size_t i) { k({blocks}, data(out, i)); });
});
const registration arithmetic("ceiling_arithmetic.float32", [](const trial& t) {
    const auto out = memory(t);
    const long long blocks = t.extents<1>()[0] / 256;
    ceiling(t, "arithmetic", [&](const kernel& k, std::size_t i) { k({blocks}, data(out, i), 0.5f, 0.25f); });
});

}  // namespace
}  // namespace bench
