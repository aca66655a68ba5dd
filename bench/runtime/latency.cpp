// Host time of one evaluation: the first of a new expression (compiled, from disk, embedded), and a warm one.
//
// The program runs itself with an initially empty cache folder: the second process finds on disk what the first one
// compiled. A third process records the kernels on the host, as sinter_embed_kernels does at build time, and a fourth
// finds them embedded. Each process first initialises the device and the compiler with a separate kernel, whose time is
// also printed. A kernel without statements is the lower bound for the time of any expression. `--json FILE` writes the
// medians, one number per run (bench/results/latency.json).
#include <bench/measure/json.hpp>
#include <sinter.hpp>

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace sinter;

namespace {

using stopwatch = std::chrono::steady_clock;

double microseconds_since(stopwatch::time_point start) {
    return std::chrono::duration<double, std::micro>(stopwatch::now() - start).count();
}

double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// The time of a call, until the device has finished.
template <class F>
double microseconds_of(F call) {
    const auto start = stopwatch::now();
    call();
    synchronize();
    return microseconds_since(start);
}

/// A different expression for each N: its bits choose the operations.
template <int N, class E>
auto chain(E e) {
    if constexpr (N == 0)
        return e;
    else if constexpr (N % 2)
        return chain<N / 2>(tanh(e) * 0.5f + 1.f);
    else
        return chain<N / 2>(sqrt(square(e) + 3.f));
}

template <int N>
double first_evaluation(const array<float, 2>& x) {
    return microseconds_of([&] { const array<float, 1> r = sqrt(sum(chain<16 + N>(exp(x)), axis=1)); });
}

template <int... N>
std::vector<double> first_evaluations(const array<float, 2>& x, std::integer_sequence<int, N...>) {
    return {first_evaluation<N>(x)...};
}

/// Several kernels: each reduction needs the results of the other.
template <int N>
auto alternating(const array<float, 2>& x) {
    const auto a = chain<16 + N>(exp(x));
    const auto b = a - mean(a, axis=0_c, keepdims);
    const auto c = b - mean(b, axis=1_c, keepdims);
    return c - max(c, axis=0_c, keepdims);
}

template <int... N>
std::vector<double> first_alternating(const array<float, 2>& x, std::integer_sequence<int, N...>) {
    const auto evaluate = [](const auto& e) { return microseconds_of([&] { const array<float, 2> r = e; }); };
    return {evaluate(alternating<3 * N>(x))...};
}

double first_empty_kernel(int n) {
    const std::string name = "empty_" + std::to_string(n);
    const raw_kernel kernel("extern \"C\" __global__ void " + name + "(float*) {}", name);
    return microseconds_of([&] { kernel(grid{1}, block{32}, 0, static_cast<float*>(nullptr)); });
}

void print(const char* what, const char* how, double microseconds, const char* of) {
    std::printf("%s, %-*s %9.1f us (%s)\n", what, 38 - static_cast<int>(std::strlen(what)), how, microseconds, of);
}

/// Appends a time to a file, for the process that started this one; `name` is its name in the file of results.
void keep(const std::string& file, const std::string& name, double microseconds) {
    std::ofstream(file, std::ios::app) << name << ' ' << microseconds << '\n';
}

void print_first(const std::string& way, const std::string& file) {
    const char* how = way.c_str();
    const auto start = stopwatch::now();
    const auto x = full({64, 1000}, 0.5f);  // initialises the device and the compiler: the process is warm from here
    synchronize();
    print("the process's first kernel", how, microseconds_since(start), "with all that is opened");
    const double first = median(first_evaluations(x, std::make_integer_sequence<int, 15>()));
    print("first evaluation", how, first, "median of 15 expressions");
    keep(file, way == "compiled" ? "first" : way == "from disk" ? "from_disk" : way, first);
    const std::string several = "the same, of " + std::to_string(explain(alternating<0>(x)).launches) + " kernels";
    const double of_several = median(first_alternating(x, std::make_integer_sequence<int, 5>()));
    print(several.c_str(), how, of_several, "median of 5 expressions");
    if (way == "compiled") keep(file, "first_of_several_kernels", of_several);
    if (current_device().is_host() || way == "embedded") return;  // a raw kernel is not recorded
    std::vector<double> empty;
    for (int n = 0; n < 15; ++n) empty.push_back(first_empty_kernel(n));
    print("a kernel without a statement", how, median(empty), "median of 15");
    if (way == "compiled") keep(file, "first_of_an_empty_kernel", median(empty));
}

void print_warm(const std::string& file) {
    const auto a = full({1000}, 2.f), b = full({1000}, 3.f);
    array<float, 1> y;
    std::vector<double> warm, waited;
    constexpr int batch = 100;
    for (int round = 0; round < 200; ++round) {
        synchronize();
        const auto start = stopwatch::now();
        for (int i = 0; i < batch; ++i) y = a * b + 1;
        warm.push_back(microseconds_since(start) / batch);
        synchronize();
        waited.push_back(microseconds_since(start) / batch);
    }
    std::printf(
        "warm evaluation of a * b + 1, (1000,)    %9.2f us of host time, %.2f us to completion (medians of 200)\n",
        median(warm), median(waited));
    keep(file, "warm", median(warm));
}

/// Adds the times in a file to those of earlier runs.
void collect(const std::string& file, std::map<std::string, std::vector<double>>& measured) {
    std::ifstream in(file);
    std::string name;
    for (double microseconds; in >> name >> microseconds;) measured[name].push_back(microseconds);
}

bool save(const std::string& path, const std::map<std::string, std::vector<double>>& measured) {
    std::ofstream out(path);
    out << "{\n \"device\": " << bench::quoted(current_device().description())
        << ",\n \"command\": \"./dev bench latency --json\",\n \"unit\": \"us of host time, one number per run\"";
    for (const auto& [name, times] : measured) {
        out << ",\n \"" << name << "\": [";
        for (std::size_t i = 0; i < times.size(); ++i) {
            char text[32];
            std::snprintf(text, sizeof text, "%s%.4g", i ? ", " : "", times[i]);
            out << text;
        }
        out << ']';
    }
    out << "\n}\n";
    return out.flush().good();
}

/// One run: all processes, each with what it needs to find; false if one fails.
bool run_once(const std::string& program, const std::string& file) {
    char folder[] = "/tmp/sinter-latency-XXXXXX";
    if (!mkdtemp(folder)) return false;
    setenv("SINTER_CACHE_DIR", folder, 1);
    const auto run = [&](const std::string& environment, const std::string& way, const std::string& into) {
        return std::system((environment + " '" + program + "' --way '" + way + "' --keep " + into).c_str()) == 0;
    };
    bool right = run("", "compiled", file) && run("", "from disk", file);
    const std::string device = current_device().description();
    if (const std::size_t arch = device.find("sm_"); arch != std::string::npos) {
        const std::string kernels = std::string(folder) + "/kernels";
        right = right &&
                run("SINTER_DEVICE=host SINTER_RECORD_KERNELS=" + kernels +
                        " SINTER_RECORD_ARCHS=" + device.substr(arch, device.find(',', arch) - arch),
                    "recorded", "/dev/null > /dev/null") &&
                run("SINTER_CACHE_DIR=" + std::string(folder) + "/none SINTER_KERNELS=" + kernels, "embedded", file);
    }
    print_warm(file);
    return std::system((std::string("rm -r ") + folder).c_str()) == 0 && right;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Measures the host time of one evaluation: the first of an expression, and a warm one."};
    std::string json, way, file;
    int runs = 1;
    app.add_option("--json", json, "write the medians to this file");
    app.add_option("--runs", runs, "how often everything is measured")->check(CLI::PositiveNumber);
    app.add_option("--way", way)->group("");  // of a process that this program starts
    app.add_option("--keep", file)->group("");
    CLI11_PARSE(app, argc, argv);
    if (!way.empty()) {
        print_first(way, file);
        return 0;
    }
    std::printf("device                                   %s\n", current_device().description().c_str());
    std::map<std::string, std::vector<double>> measured;
    bool right = true;
    for (int i = 0; i < runs; ++i) {
        char name[] = "/tmp/sinter-latency-times-XXXXXX";
        const int opened = mkstemp(name);
        if (opened < 0) return 1;
        std::fflush(stdout);
        right = run_once(argv[0], name) && right;
        collect(name, measured);
        right = close(opened) == 0 && unlink(name) == 0 && right;
    }
    return right && (json.empty() || save(json, measured)) ? 0 : 1;
}
