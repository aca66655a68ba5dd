// Loads and times a problem, as measure.py asks for it.
#include <bench/corpus/commands.hpp>
#include <bench/measure/hold.hpp>
#include <bench/measure/json.hpp>
#include <bench/measure/timing.hpp>
#include <sinter/raw_kernel.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <optional>
#include <sstream>

namespace corpus {

namespace {

using bench::number;
using bench::quoted;

/// explain()'s report on the kernels, as members of a JSON object.
std::string described(const sinter::explanation& told) {
    double seconds = 0;
    std::int64_t bytes = 0;
    std::string schedules, bounds, reasons;
    for (const sinter::kernel_report& k : told.kernels) {
        seconds += k.predicted_seconds;
        bytes += k.bytes;
        schedules += (schedules.empty() ? "" : ", ") + quoted(k.schedule);
        bounds += (bounds.empty() ? "" : ", ") + quoted(k.bound_by);
    }
    for (const std::string& r : told.reasons) reasons += (reasons.empty() ? "" : ", ") + quoted(r);
    return "\"launches\": " + std::to_string(told.launches) + ", \"predicted_ms\": " + number(seconds * 1e3) +
           ", \"predicted_bytes\": " + std::to_string(bytes) + ", \"schedules\": [" + schedules + "], \"bound_by\": [" +
           bounds + "], \"reasons\": [" + reasons + "]";
}

/// Evaluates a problem for the first time, and again on every set after its results have been set to NaN.
std::string load(problem& p) {
    sinter::synchronize();
    const auto start = bench::stopwatch::now();
    p.evaluate(0);
    sinter::synchronize();
    const double first = bench::seconds_since(start);
    p.poison();
    for (std::size_t i = 0; i < p.sets(); ++i) p.evaluate(i);
    std::string results;
    for (const sampled& s : p.samples()) {
        results += std::string(results.empty() ? "" : ", ") + "{\"unwritten\": " + std::to_string(s.unwritten) +
                   ", \"values\": [";
        for (std::size_t i = 0; i < s.values.size(); ++i) results += (i ? ", " : "") + number(s.values[i]);
        results += "]}";
    }
    const bool host = sinter::current_device() == sinter::host();  // explain() does not describe host kernels
    return "\"first_ms\": " + number(first * 1e3) + ", \"results\": [" + results + "]" +
           (host ? std::string() : ", " + described(p.explain()));
}

/// Milliseconds per evaluation, wall clock and CPU time of all threads: the median of batches. On a device, a kernel
/// before the batch keeps the device busy while the host enqueues, so gaps between launches do not count.
std::string time(problem& p, double budget) {
    const bool device = sinter::current_device() != sinter::host();
    std::size_t next = 0;
    const auto run = [&](int calls) {
        for (int i = 0; i < calls; ++i) p.evaluate(next++ % p.sets());
    };
    sinter::synchronize();
    auto start = bench::stopwatch::now();
    run(1);
    const double host = bench::seconds_since(start);
    sinter::synchronize();
    const double once = bench::seconds_since(start);
    const int calls = static_cast<int>(std::clamp(2e-3 / once, 1.0, 100.0));

    static std::optional<sinter::raw_kernel> spin;
    if (device && !spin) spin.emplace(bench::hold_text, bench::hold_name);
    std::vector<double> seconds;
    const std::clock_t before = std::clock();
    for (double spent = 0; seconds.empty() || (spent < budget && seconds.size() < 50);) {
        start = bench::stopwatch::now();
        if (device) {
            (*spin)(sinter::grid{1}, sinter::block{1}, 0, static_cast<long long>((1.5 * host * calls + 20e-6) * 1e9));
            const sinter::event from;
            run(calls);
            seconds.push_back(sinter::event().seconds_since(from) / calls);
        } else {
            run(calls);
            seconds.push_back(bench::seconds_since(start) / calls);
        }
        spent += bench::seconds_since(start);
    }
    const double processor = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    return "\"ms\": " + number(bench::median(seconds) * 1e3) +
           ", \"processor_ms\": " + number(processor * 1e3 / (calls * static_cast<double>(seconds.size()))) +
           ", \"host_us\": " + number(host * 1e6);
}

void answer(const std::string& line, std::optional<problem>& p, const problem_maker& make) try {
    std::istringstream words(line);
    std::string command, rest;
    std::size_t sets = 1;
    double seconds = 0;
    words >> command;
    std::string body;
    if (command == "load") {
        words >> sets >> std::ws;
        std::getline(words, rest);
        p.reset();
        p.emplace(make(rest, sets));
        body = load(*p);
    } else if (command == "explain") {
        words >> std::ws;
        std::getline(words, rest);
        body = described(make(rest, 0).explain());
    } else if (command == "time" && p) {
        words >> seconds;
        body = time(*p, seconds);
    } else if (command == "drop") {
        p.reset();
        body = "\"dropped\": true";
    } else {
        throw sinter::error("'" + line + "' is no command: say load, explain, time or drop");
    }
    std::printf("{%s}\n", body.c_str());
} catch (const std::exception& e) {
    std::printf("{\"error\": %s}\n", quoted(e.what()).c_str());
}

}  // namespace

void answer_commands(const problem_maker& make) {
    std::printf("{\"device\": %s}\n", quoted(sinter::current_device().description()).c_str());
    std::fflush(stdout);
    std::optional<problem> loaded;
    for (std::string line; std::getline(std::cin, line);) {
        answer(line, loaded, make);
        std::fflush(stdout);
    }
}

}  // namespace corpus
