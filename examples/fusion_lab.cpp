// The benefit of fusion: chains of 1 to 32 operations on arrays of several sizes, as one kernel and as one kernel per
// operation. bench/fusion_lab.py plots the data that --json writes.
#include "support/plain_loops.hpp"
#include "support/program.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

using namespace sinter;

/// x * 0.5 + 1, times 0.5, plus 1 ...: N operations; N is part of the expression's type.
template <int N, class E>
auto chain(const E& e) {
    if constexpr (N == 0)
        return e;
    else if constexpr (N % 2 == 1)
        return chain<N - 1>(e) * 0.5f;
    else
        return chain<N - 1>(e) + 1.f;
}

/// The chain for one number, in plain C++.
float chain_of(float x, int n) {
    for (int i = 1; i <= n; ++i) x = i % 2 == 1 ? x * 0.5f : x + 1.f;
    return x;
}

/// One way of computing a chain.
struct cost {
    int launches = 0;
    std::int64_t bytes = 0;
    double seconds = 0;
};

struct measurement {
    int operations = 0;
    std::int64_t elements = 0;
    cost fused, unfused;
    bool good = true;
};

template <int N>
cost measure_as(fusion mode, const array<float, 1>& x, bool& good) {
    const fusion_scope scope(mode);
    const auto e = chain<N>(x);
    const explanation why = explain(e);
    array<float, 1> y;
    cost c{why.launches, why.bytes_fused, time_of([&] { y = e; }).seconds};
    const std::vector<float> in = to_host(x), out = to_host(y);
    for (std::size_t i = 0; i < in.size(); i += 1 + in.size() / 1000)
        good = good && std::abs(out[i] - chain_of(in[i], N)) < 1e-5f;
    return c;
}

template <int N>
measurement measure(const array<float, 1>& x) {
    measurement m;
    m.operations = N;
    m.elements = x.size();
    m.fused = measure_as<N>(fusion::on, x, m.good);
    m.unfused = measure_as<N>(fusion::off, x, m.good);
    return m;
}

void print(const measurement& m) {
    const auto megabytes = [](const cost& c) { return static_cast<double>(c.bytes) / 1e6; };
    std::printf("%10lld %10d %9.4f %9.4f %7.2f %9d %9d %10.3f %10.3f\n", static_cast<long long>(m.elements),
                m.operations, m.fused.seconds * 1e3, m.unfused.seconds * 1e3, m.unfused.seconds / m.fused.seconds,
                m.fused.launches, m.unfused.launches, megabytes(m.fused), megabytes(m.unfused));
    std::fflush(stdout);
}

void write_json(const std::string& path, const std::vector<measurement>& cases) {
    std::ofstream out(path);
    const auto write_cost = [&](const char* name, const cost& c) {
        out << '"' << name << "\": {\"ms\": " << c.seconds * 1e3 << ", \"bytes\": " << c.bytes
            << ", \"launches\": " << c.launches << '}';
    };
    out << "{\"device\": \"" << current_device().description() << "\", \"cases\": [\n";
    for (const measurement& m : cases) {
        out << (&m == cases.data() ? " " : ",\n ") << "{\"elements\": " << m.elements
            << ", \"operations\": " << m.operations << ", ";
        write_cost("fused", m.fused);
        out << ", ";
        write_cost("unfused", m.unfused);
        out << '}';
    }
    out << "\n]}\n";
    if (!out) throw error("cannot write " + path);
}

int main(int argc, char** argv) {
    CLI::App app("Time, bytes and launches of chains of operations, fused and one kernel per operation.", "fusion_lab");
    std::int64_t largest = 0;
    std::string json;
    app.add_option("--size", largest, "Elements of the largest array (67108864 on a GPU, 1048576 on the host)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 31));
    app.add_option("--json", json, "Write the figures to this file");
    return run_program(app, argc, argv, [&] {
        print_device();
        if (largest == 0) largest = current_device().is_host() ? 1 << 20 : 1 << 26;
        std::printf("\n           of            ms                 times  launches              MB\n");
        std::printf("  elements operations    fused   unfused  faster     fused   unfused      fused    unfused\n");
        std::vector<measurement> cases;
        for (std::int64_t n = std::min<std::int64_t>(largest, 1 << 10);; n = std::min(n * 16, largest)) {
            std::vector<float> values(static_cast<std::size_t>(n));
            plain::fill_random(std::span(values));
            const auto x = from_host(std::span(values), {n});
            for (const measurement& m :
                 {measure<1>(x), measure<2>(x), measure<4>(x), measure<8>(x), measure<16>(x), measure<32>(x)}) {
                print(m);
                cases.push_back(m);
            }
            if (n == largest) break;
        }
        if (!json.empty()) write_json(json, cases);
        const bool good = std::all_of(cases.begin(), cases.end(), [](const measurement& m) { return m.good; });
        std::printf("\ncheck      %s: both ways give what plain C++ gives\n", good ? "good" : "WRONG");
        return good;
    });
}
