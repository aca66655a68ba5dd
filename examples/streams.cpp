// Overlapping copies and kernels: chunks pass through the device on three streams; a timeline shows the overlap.
#include "support/plain_loops.hpp"
#include "support/program.hpp"
#include "support/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

using namespace sinter;

/// Work for a kernel: y steps towards 1.
SINTER_BINARY(settle, floating, [](T v, T steps) {
    for (int i = 0; i < static_cast<int>(steps); ++i) v = v * T(0.999) + T(0.001);
    return v;
}(x, y))

struct job {
    std::vector<float> values;
    std::int64_t chunk = 0;
    int steps = 0;  ///< of each element
};

struct outcome {
    std::vector<float> results;
    timeline::record work;
};

/// Copies each chunk in, processes it and copies it out; a chunk waits only for its own data and stream order.
outcome run(const job& j, const stream& in, const stream& work, const stream& out) {
    const auto length = static_cast<std::size_t>(j.chunk);
    const event start(in);
    std::deque<std::pair<event, event>> marks;  // before and after each operation
    std::deque<host_copy<float>> copies;
    for (std::size_t at = 0; at < j.values.size(); at += length) {
        event a(in);
        const auto x = from_host(in, std::span(j.values).subspan(at, length), {j.chunk});
        event b(in);
        work.wait(b);
        event c(work);
        array<float, 1> y;
        y.on(work) = settle(x, j.steps);
        event d(work);
        out.wait(d);
        event e(out);
        copies.push_back(to_host(out, y));
        marks.emplace_back(std::move(a), std::move(b));
        marks.emplace_back(std::move(c), std::move(d));
        marks.emplace_back(std::move(e), event(out));
    }
    outcome o;
    for (const auto& copy : copies) {
        const auto result = copy.wait();
        o.results.insert(o.results.end(), result.begin(), result.end());
    }
    for (std::size_t i = 0; i < marks.size(); ++i)
        o.work.pieces.push_back({i % 3, static_cast<int>(i / 3), marks[i].first.seconds_since(start),
                                 marks[i].second.seconds_since(start)});
    return o;
}

bool check(const job& j, const std::vector<float>& results) {
    const double shrunk = std::pow(0.999, j.steps);
    double worst = 0;
    for (std::size_t i = 0; i < j.values.size(); ++i)
        worst = std::max(
            worst, std::abs(1 + (static_cast<double>(j.values[i]) - 1) * shrunk - static_cast<double>(results[i])));
    std::printf("check      %s: max. difference %.1e\n", worst < 1e-4 ? "good" : "WRONG", worst);
    return worst < 1e-4 && results.size() == j.values.size();
}

int main(int argc, char** argv) {
    CLI::App app("Copies in, kernels and copies out, overlapped on three streams.", "streams");
    job j;
    int chunks = 6;
    std::string svg;
    app.add_option("--chunk", j.chunk, "Floats of a chunk (8388608 on a GPU, 16384 on the host)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 28));
    app.add_option("--chunks", chunks, "How many (6)")->check(CLI::Range(1, 64));
    app.add_option("--steps", j.steps, "Of work on each element (10000 on a GPU, 100 on the host)")
        ->check(CLI::Range(1, 1 << 20));
    app.add_option("--svg", svg, "A file for a picture of the timelines");
    return run_program(app, argc, argv, [&] {
        print_device();
        const bool here = current_device().is_host();
        if (j.chunk == 0) j.chunk = here ? 1 << 14 : 1 << 23;
        if (j.steps == 0) j.steps = here ? 100 : 10000;
        std::optional<timeline::picture> picture;
        if (!svg.empty()) picture.emplace(svg);
        j.values.resize(static_cast<std::size_t>(j.chunk * chunks));
        plain::fill_random(std::span(j.values));
        const stream in, work, out;
        std::vector<timeline::record> runs;
        for (const bool overlapped : {true, false}) {
            (void)run(j, in, overlapped ? work : in, overlapped ? out : in);  // warms up the memory pools
            outcome o = run(j, in, overlapped ? work : in, overlapped ? out : in);
            char title[80];
            const double ms = o.work.seconds() * 1e3;
            if (overlapped)
                std::snprintf(title, sizeof title, "three streams: %.4g ms", ms);
            else
                std::snprintf(title, sizeof title, "one stream: %.4g ms, %.2f times that", ms,
                              ms * 1e-3 / runs[0].seconds());
            o.work.title = title;
            std::printf("\n%s, for %d chunks of %lld floats\n", title, chunks, static_cast<long long>(j.chunk));
            timeline::print(o.work);
            if (!check(j, o.results)) return false;
            runs.push_back(std::move(o.work));
        }
        if (picture) picture->draw(current_device().description(), runs);
        if (here) std::printf("On the host work is done when it is submitted: nothing overlaps.\n");
        return true;
    });
}
