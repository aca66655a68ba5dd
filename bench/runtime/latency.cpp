// Host time of one evaluation: the first of a new expression (compiled, from disk, embedded), and a warm one.
//
// The program runs itself with an initially empty cache folder: the second process finds on disk what the first one
// compiled. A third process records the kernels on the host, as sinter_embed_kernels does at build time, and a fourth
// finds them embedded. Each process first initialises the device and the compiler with a separate kernel, whose time is
// also printed. A kernel without statements is the lower bound for the time of any expression.
#include <sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
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

void print_first(const char* how) {
    const auto start = stopwatch::now();
    const auto x = full({64, 1000}, 0.5f);  // initialises the device and the compiler: the process is warm from here
    synchronize();
    print("the process's first kernel", how, microseconds_since(start), "with all that is opened");
    print("first evaluation", how, median(first_evaluations(x, std::make_integer_sequence<int, 15>())),
          "median of 15 expressions");
    const std::string several = "the same, of " + std::to_string(explain(alternating<0>(x)).launches) + " kernels";
    print(several.c_str(), how, median(first_alternating(x, std::make_integer_sequence<int, 5>())),
          "median of 5 expressions");
    if (current_device().is_host() || how == std::string_view("embedded")) return;  // a raw kernel is not recorded
    std::vector<double> empty;
    for (int n = 0; n < 15; ++n) empty.push_back(first_empty_kernel(n));
    print("a kernel without a statement", how, median(empty), "median of 15");
}

void print_warm() {
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
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) {
        print_first(argv[1]);
        return 0;
    }
    char folder[] = "/tmp/sinter-latency-XXXXXX";
    if (!mkdtemp(folder)) return 1;
    setenv("SINTER_CACHE_DIR", folder, 1);
    std::printf("device                                   %s\n", current_device().description().c_str());
    std::fflush(stdout);
    const auto run = [&](const std::string& environment, const std::string& how) {
        return std::system((environment + " '" + argv[0] + "' " + how).c_str()) == 0;
    };
    bool right = run("", "compiled") && run("", "'from disk'");
    const std::string device = current_device().description();
    if (const std::size_t arch = device.find("sm_"); arch != std::string::npos) {
        const std::string file = std::string(folder) + "/kernels";
        right = right &&
                run("SINTER_DEVICE=host SINTER_RECORD_KERNELS=" + file +
                        " SINTER_RECORD_ARCHS=" + device.substr(arch, device.find(',', arch) - arch),
                    "recorded > /dev/null") &&
                run("SINTER_CACHE_DIR=" + std::string(folder) + "/none SINTER_KERNELS=" + file, "embedded");
    }
    print_warm();
    return std::system((std::string("rm -r ") + folder).c_str()) == 0 && right ? 0 : 1;
}
