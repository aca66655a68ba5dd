// Differential fuzzing: random graphs on one of the library's back ends against a naive evaluator.
//
//     fuzz --graphs 2000 --seed 1 --device emulated
//
// Exits with 0 when all agree, 1 when not, 77 where there is no such device.
#include <runtime/cuda/cuda_device.hpp>
#include <sinter/error.hpp>
#include <tests/fuzz/bench.hpp>
#include <tests/fuzz/grow.hpp>
#include <tests/fuzz/print.hpp>
#include <tests/fuzz/shrink.hpp>
#include <tests/fuzz/workers.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace sinter::fuzz {
namespace {

constexpr int no_device = 77, spoilt = 3;
constexpr unsigned max_seconds = 300;  ///< for one graph, after which it counts as hanging

struct options {
    work w;
    std::string device = "host";
    int shrink_tries = 300;
    /// Graphs of a list, instead of those whose seeds count up.
    struct listed {
        std::uint64_t seed;
        sizes arrays;
    };
    std::vector<listed> list;
    bool print = false, passes = false, here = false;
    bool large = false;           ///< larger arrays
    bool calls = false;           ///< with functions of whole arrays
    bool layouts = false;         ///< with joins, channels and the like
    bool small = false;           ///< planned for a small machine
    bool find = false;            ///< only look for graphs of each schedule
    bool every_schedule = false;  ///< one that is not reached is a failure

    sizes wanted() const { return large ? sizes::large : sizes::all; }
    /// Graphs are numbered by their seeds, or by where their seeds stand in the list.
    std::uint64_t seed_of(std::uint64_t number) const {
        return list.empty() ? number : list[static_cast<std::size_t>(number)].seed;
    }
    fuzz_case graph(std::uint64_t number) const {
        return generate(seed_of(number), list.empty() ? wanted() : list[static_cast<std::size_t>(number)].arrays, calls,
                        layouts);
    }
    bench make_bench() const { return bench(device, small); }
};

std::string report(const options& o, const fuzz_case& c, const outcome& found, const fuzz_case& small,
                   const outcome& small_found) {
    return fmt::format(
        "seed {} on {}: {}\n{} nodes, of which these remain:\n{}  {}\nagain: fuzz --device {} --seed {} --graphs "
        "1{}{}{}\n\n",
        c.seed, o.device, found.why.substr(0, 2000), c.nodes.size(), print(small, evaluate_all(small)), small_found.why,
        o.device, c.seed, o.large ? " --large" : "", o.small ? " --small" : "", o.layouts ? " --layouts" : "");
}

void report_failure(const options& o, bench& b, const fuzz_case& c, const outcome& found) {
    outcome last = found;
    const auto fails = [&](const fuzz_case& candidate) {
        alarm(max_seconds);
        const outcome now = b.evaluate(candidate);
        if (now.what == found.what) last = now;
        return now.what == found.what;
    };
    const fuzz_case small = shrink(c, fails, o.shrink_tries);
    std::fputs(report(o, c, found, small, last).c_str(), stdout);
    std::fflush(stdout);
}

/// A kernel that fails on a GPU leaves a process that cannot use the GPU any more.
bool spoils_the_process(const options& o, const outcome& found) {
    return o.device == "cuda" && found.what == verdict::failure;
}

/// A graph that ends the process is shrunk as any other, each candidate in a process of its own.
void report_crash(const options& o, std::uint64_t number, const std::string& cause) {
    const fuzz_case c = o.graph(number);
    const auto fails = [&](const fuzz_case& candidate) {
        evaluate_all(candidate);  // which throws where it makes no sense
        return run_apart([&] {
                   alarm(max_seconds);
                   const outcome now = o.make_bench().evaluate(candidate);
                   if (spoils_the_process(o, now)) std::_Exit(spoilt);
               }) == cause;
    };
    const outcome found{verdict::failure, "the process ended with " + cause};
    const int tries = o.device == "cuda" ? o.shrink_tries / 10 : o.shrink_tries;  // each starts the device
    std::fputs(report(o, c, found, shrink(c, fails, tries), found).c_str(), stdout);
    std::fflush(stdout);
}

/// Graphs are prepared together, so that their kernels are compiled together.
void run(const options& o, std::uint64_t first, std::int64_t count, progress& p) {
    bench b = o.make_bench();
    struct prepared {
        fuzz_case c;
        std::vector<node_values> expected;
        std::unique_ptr<placed_case> placed;
        outcome o;
    };
    std::vector<std::unique_ptr<prepared>> all;
    for (std::int64_t i = 0; i < count; ++i) {
        p.seed = first + static_cast<std::uint64_t>(i);
        alarm(max_seconds);
        auto one = std::make_unique<prepared>();
        one->c = o.graph(p.seed);
        const std::vector<node_values> values = evaluate_all(one->c);
        if (o.print) {
            fmt::print("seed {}\n{}", one->c.seed, print(one->c, values));
            std::fflush(stdout);
        }
        one->expected = results_of(one->c, values);
        one->placed = std::make_unique<placed_case>(one->c, one->expected, b.where());
        if (o.passes) fmt::print("{}\n", one->placed->passes());
        one->o = b.prepare(one->c, *one->placed);
        if (o.find) {
            if (one->o.what == verdict::right) b.count(one->c, *one->placed, p.reached);
            ++p.graphs;
            continue;
        }
        all.push_back(std::move(one));
    }
    if (o.find) return;
    alarm(max_seconds);
    b.compile();
    p.kernels = b.kernels();
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto& one = all[i];
        p.seed = first + i;
        alarm(max_seconds);
        if (one->o.what == verdict::right) one->o = b.check(one->c, *one->placed);
        if (spoils_the_process(o, one->o)) {
            fmt::print("seed {} on {}: {}\n", one->c.seed, o.device, one->o.why);
            std::fflush(stdout);
            std::_Exit(spoilt);
        }
        ++p.graphs;
        if (one->o.what == verdict::right) b.count(one->c, *one->placed, p.reached);
        p.decided += one->o.decided;
        p.elements += one->o.elements;
        p.refused += one->o.what == verdict::refused;
        if (one->o.what == verdict::mismatch || one->o.what == verdict::failure) {
            ++p.failed;
            report_failure(o, b, one->c, one->o);
        }
        one.reset();
    }
    alarm(0);
}

progress run_graphs(const options& o) {
    progress all;
    if (o.here)
        run(o, o.w.first_seed, o.w.graphs, all);
    else
        all = spread(
            o.w, [&](std::uint64_t first, std::int64_t count, progress& p) { run(o, first, count, p); },
            [&](std::uint64_t seed, const std::string& cause) { report_crash(o, seed, cause); });
    return all;
}

/// Prints seeds for every form of schedule: of graphs of all sizes, then of large ones, which take longer; or of these
/// alone.
int find(options o) {
    progress all;
    for (const bool large : {false, true}) {
        if (o.large && !large) continue;
        o.large = large;
        const progress found = run_graphs(o);
        std::fputs(seeds_of_forms(found.reached, all.reached, large ? " large" : "").c_str(), stdout);
        all.add(found);
        o.w.graphs = (o.w.graphs + 7) / 8;
    }
    const std::vector<std::string> never = never_scheduled(all.reached);
    if (!never.empty()) fmt::print(stderr, "of {} graphs none has: {}\n", all.graphs, fmt::join(never, "; "));
    return never.empty() && all.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int run_all(const options& o) {
    // asked in a process of its own: a driver that has started does not survive fork()
    const auto look = [] { std::_Exit(codegen::cuda_device_count() > 0 ? EXIT_SUCCESS : no_device); };
    if (o.device == "cuda" && !run_apart(look).empty()) {
        std::puts("fuzz: there is no CUDA device");
        return no_device;
    }
    if (o.find) return find(o);
    const auto start = std::chrono::steady_clock::now();
    const progress all = run_graphs(o);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fmt::print(
        "{} graphs on {} from seed {}: {} wrong, {} refused; {} result elements, {:.1f}% of them decided; {}{:.0f} s\n",
        all.graphs, o.device, o.seed_of(o.w.first_seed), all.failed, all.refused, all.elements,
        all.elements > 0 ? 100.0 * static_cast<double>(all.decided) / static_cast<double>(all.elements) : 100.0,
        all.kernels > 0 ? fmt::format("{} kernels; ", all.kernels) : "", seconds.count());
    std::fputs(text(all.reached).c_str(), stdout);
    if (!o.every_schedule) return all.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    std::vector<std::string> never = never_scheduled(all.reached);
    if (o.device == "cuda" && codegen::cuda_device_at(0).properties().arch < 90)  // it has no clusters
        std::erase(never, "rows, a cluster");
    if (!never.empty()) {
        fmt::print("schedules that no graph has: {}; find graphs that do, by --find\n", fmt::join(never, "; "));
        return EXIT_FAILURE;
    }
    return all.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// The graphs of a file: a line each, a seed and, for larger arrays, "large". What follows # is a comment.
std::vector<options::listed> read_list(const std::string& path) {
    std::ifstream in(path);
    std::vector<options::listed> list;
    for (std::string line; std::getline(in, line);) {
        line.erase(std::min(line.find('#'), line.size()));
        std::istringstream words(line);
        options::listed graph{0, sizes::all};
        if (std::string word; words >> graph.seed) {
            if (words >> word && word == "large") graph.arrays = sizes::large;
            list.push_back(graph);
        }
    }
    if (list.empty()) throw error("fuzz: there are no seeds in " + path);
    return list;
}

}  // namespace
}  // namespace sinter::fuzz

int main(int argc, char** argv) {
    sinter::fuzz::options o;
    o.w.first_seed = 1;
    o.w.graphs = 1000;
    o.w.max_failures = 10;
    std::int64_t batch = 0;
    CLI::App app{"Random graphs on one back end against a naive evaluator."};
    app.add_option("--graphs", o.w.graphs, "how many")->capture_default_str();
    app.add_option("--seed", o.w.first_seed, "of the first graph; the next ones count up")->capture_default_str();
    app.add_option("--device", o.device, "host, emulated or cuda")
        ->check(CLI::IsMember({"host", "emulated", "cuda"}))
        ->capture_default_str();
    app.add_option("--jobs", o.w.jobs, "processes at once")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--batch", batch, "graphs a process; their kernels are compiled together on the emulated device");
    app.add_option("--failures", o.w.max_failures, "stop after this many")->capture_default_str();
    app.add_option("--shrink", o.shrink_tries, "simplifications to try of a graph that fails")->capture_default_str();
    std::string seeds;
    app.add_option("--seeds", seeds, "a file of seeds, in place of --seed and --graphs");
    app.add_flag("--find", o.find, "run nothing; print seeds of graphs that have each schedule, for --seeds");
    app.add_flag("--every-schedule", o.every_schedule, "fail if a schedule is not reached");
    app.add_flag("--small", o.small, "cuda: plan for machines of few multiprocessors, as on the emulated device");
    app.add_flag("--large", o.large, "arrays large enough for several blocks");
    app.add_flag("--calls", o.calls, "graphs with functions of whole arrays");
    app.add_flag("--layouts", o.layouts, "graphs with joins, channels and the like, and elements of any bits");
    app.add_flag("--print", o.print, "print every graph");
    app.add_flag("--passes", o.passes, "print what the library's passes make of every graph");
    app.add_flag("--here", o.here, "in this process, for a debugger");
    CLI11_PARSE(app, argc, argv);
    if (!seeds.empty()) {
        o.list = sinter::fuzz::read_list(seeds);
        o.w.first_seed = 0;
        o.w.graphs = static_cast<std::int64_t>(o.list.size());
    }
    const std::int64_t share = (o.w.graphs + o.w.jobs - 1) / o.w.jobs;
    o.w.graphs_a_process = batch > 0 ? batch : std::min<std::int64_t>(share, o.device == "emulated" ? 100 : 500);
    // Kernels are seen once, and on the emulated device what is "compiled" first is the text alone.
    setenv("SINTER_CACHE_DIR", "off", 1);
    try {
        return sinter::fuzz::run_all(o);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return EXIT_FAILURE;
    }
}
