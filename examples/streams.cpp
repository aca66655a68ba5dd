// Copies beside kernels: chunks go through the device on three streams, and a timeline shows what overlapped.
#include "support/plain_loops.hpp"
#include "support/program.hpp"

#include <chrono>
#include <cmath>
#include <deque>

using namespace sinter;

constexpr int steps = 1000;
/// Work for a kernel: 1000 steps towards 1.
SINTER_UNARY(settle, floating, [](T v) {
    for (int i = 0; i < 1000; ++i) v = v * T(0.999) + T(0.001);
    return v;
}(x))

/// One piece of work on a stream, between two events.
struct piece {
    const char* what;
    event begin, end;
};

struct run_record {
    event start;
    std::deque<piece> pieces;
    std::vector<float> results;
    double seconds = 0;
};

/// Every chunk is copied in, worked on and copied out; a chunk waits for nothing but its own data and the streams.
void run(const std::vector<float>& values, std::int64_t chunk, const stream& in, const stream& work, const stream& out,
         run_record& r) {
    const auto begin = std::chrono::steady_clock::now();
    r.start = event(in);
    std::deque<host_copy<float>> copies;
    for (std::size_t at = 0; at < values.size(); at += static_cast<std::size_t>(chunk)) {
        event a(in);
        const auto x = from_host(in, std::span(values).subspan(at, static_cast<std::size_t>(chunk)), {chunk});
        event b(in);
        work.wait(b);
        event c(work);
        array<float, 1> y;
        y.on(work) = settle(x);
        event d(work);
        out.wait(d);
        event e(out);
        copies.push_back(to_host(out, y));
        r.pieces.push_back({"copy in", std::move(a), std::move(b)});
        r.pieces.push_back({"compute", std::move(c), std::move(d)});
        r.pieces.push_back({"copy out", std::move(e), event(out)});
    }
    for (const auto& copy : copies) {
        const auto result = copy.wait();
        r.results.insert(r.results.end(), result.begin(), result.end());
    }
    r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void print_timeline(const run_record& r) {
    constexpr int width = 80;
    double total = 0;
    for (const piece& p : r.pieces) total = std::max(total, p.end.seconds_since(r.start));
    int chunk = 0;
    for (std::size_t i = 0; i < r.pieces.size(); ++i) {
        const piece& p = r.pieces[i];
        const auto place = [&](const event& e) {
            return static_cast<std::size_t>(std::lround(e.seconds_since(r.start) / total * width));
        };
        const std::size_t from = place(p.begin), to = std::max(place(p.end), from + 1);
        std::string line(std::max<std::size_t>(width, to), ' ');
        std::fill(line.begin() + static_cast<std::ptrdiff_t>(from), line.begin() + static_cast<std::ptrdiff_t>(to),
                  '#');
        if (i % 3 == 0) std::printf("chunk %d\n", chunk++);
        std::printf("  %-9s|%s|\n", p.what, line.c_str());
    }
    std::printf("           0 %*.3f ms\n", width - 1, total * 1e3);
}

bool check(const std::vector<float>& values, const std::vector<float>& results) {
    const double shrunk = std::pow(0.999, steps);
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        worst = std::max(worst,
                         std::abs(1 + (static_cast<double>(values[i]) - 1) * shrunk - static_cast<double>(results[i])));
    std::printf("check      %s: max. difference %.1e\n", worst < 1e-4 ? "good" : "WRONG", worst);
    return worst < 1e-4 && results.size() == values.size();
}

int main(int argc, char** argv) {
    CLI::App app("Copies in, kernels and copies out, overlapped on three streams.", "streams");
    std::int64_t chunk = 0;
    int chunks = 4;
    app.add_option("--chunk", chunk, "Floats of a chunk (8388608 on a GPU, 16384 on the host)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 28));
    app.add_option("--chunks", chunks, "How many (4)")->check(CLI::Range(1, 64));
    return run_program(app, argc, argv, [&] {
        print_device();
        if (chunk == 0) chunk = current_device().is_host() ? 1 << 14 : 1 << 23;
        std::vector<float> values(static_cast<std::size_t>(chunk * chunks));
        plain::fill_random(std::span(values));
        const stream in, work, out;
        for (const bool overlapped : {false, true}) {
            run_record first, r;  // the first run finds the pools empty
            run(values, chunk, in, overlapped ? work : in, overlapped ? out : in, first);
            run(values, chunk, in, overlapped ? work : in, overlapped ? out : in, r);
            std::printf("\n%-10s %.3f ms for %d chunks of %lld floats\n", overlapped ? "3 streams" : "1 stream",
                        r.seconds * 1e3, chunks, static_cast<long long>(chunk));
            print_timeline(r);
            if (!check(values, r.results)) return false;
        }
        if (current_device().is_host())
            std::printf("On the host work is done when it is submitted: nothing overlaps.\n");
        return true;
    });
}
