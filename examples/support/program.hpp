// Common parts of the example programs: options, --help, and one-line errors with exit status 2.
#pragma once

#include <CLI/CLI.hpp>
#include <sinter.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

/// Prints the device that the example uses.
inline void print_device() {
    const sinter::device d = sinter::current_device();
    std::printf("device     %s%s\n", d.description().c_str(), d.is_host() ? " (no GPU: everything runs here)" : "");
}

/// The device named by --device: host, cuda or cuda:1; the current one for an empty name.
inline sinter::device device_named(const std::string& name) {
    if (name.empty()) return sinter::current_device();
    if (name == "host") return sinter::host();
    // Each of several processes has a GPU of its own.
    if (name == "cuda") return sinter::current_device().is_host() ? sinter::cuda() : sinter::current_device();
    if (name.size() == 6 && name.starts_with("cuda:") && name[5] >= '0' && name[5] <= '9')
        return sinter::cuda(name[5] - '0');
    throw sinter::error("--device " + name + ": use host, cuda or cuda:1");
}

/// The time of one call, compiled and warm.
struct call_time {
    double seconds;  ///< the median of the batches
    int batches, calls_per_batch;
};

/// Times f() in batches of about 2 ms between two events.
template <class F>
call_time time_of(F f) {
    const auto run = [&](int calls) {
        const sinter::event begin;
        for (int i = 0; i < calls; ++i) f();
        return sinter::event().seconds_since(begin) / calls;
    };
    run(3);
    const int calls = static_cast<int>(std::clamp(2e-3 / run(1), 1.0, 1000.0));
    std::array<double, 11> seconds;
    for (double& s : seconds) s = run(calls);
    std::sort(seconds.begin(), seconds.end());
    return {seconds[seconds.size() / 2], static_cast<int>(seconds.size()), calls};
}

template <class F>
void print_time(const char* what, F f) {
    const call_time t = time_of(f);
    std::printf("time       %.3f us: %s, median of %d batches of %d\n", t.seconds * 1e6, what, t.batches,
                t.calls_per_batch);
}

/// Parses the options and calls body(), which returns whether its results were correct.
template <class F>
int run_program(CLI::App& app, int argc, char** argv, F body) {
    try {
        app.parse(argc, argv);
        return body() ? 0 : 1;
    } catch (const CLI::CallForHelp&) {
        std::printf("%s", app.help().c_str());
        return 0;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "%s: not enough memory; ask for less\n", app.get_name().c_str());
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), e.what());
    }
    return 2;
}
