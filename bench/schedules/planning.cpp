// Time on the processor to plan an expression for shapes that it has not had: from its program to scheduled kernels and
// their keys. Nothing is compiled by NVRTC, and no GPU is needed.
//
//     planning                 prints a line for each expression: median and longest of 200 random shapes, in
//                              microseconds
//     planning FILE            the programs of a file, as programs.py writes them: the least of a few repetitions; then
//                              their sum, how many take more than a millisecond, and the longest one
//     planning FILE --plans    their plans instead of times, for an H200 without and with a library of products: a
//                              change that makes planning faster prints the same as before
//     planning FILE --seconds  what is predicted for these plans: for a change that finds others
#include <codegen/cuda/source.hpp>
#include <codegen/driver/compile.hpp>
#include <codegen/driver/kernel_times.hpp>
#include <codegen/ir/print.hpp>
#include <sinter.hpp>
#include <tools/explain/request.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace sinter;

constexpr int shapes = 200, repetitions = 9;

double processor_microseconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

double planned(const ir::program& program, const detail::arguments_view& arguments) {
    const double start = processor_microseconds();
    for (const codegen::compiled_kernel& k : codegen::compile({&program, arguments}, {}, {}).kernels)
        if (k.chosen) codegen::class_key(k.body, *k.chosen);
    return processor_microseconds() - start;
}

/// `make` gives an expression of two matrices of one shape and a row.
template <class F>
void time(const char* name, F make) {
    std::mt19937 random(1);
    std::vector<double> all;
    for (int i = 0; i < shapes; ++i) {
        const std::int64_t rows = 1 + static_cast<std::int64_t>(random() % 4000),
                           columns = 1 + static_cast<std::int64_t>(random() % 4000);
        const array<float, 2> x(shape<2>(rows, columns)), y(shape<2>(rows, columns));
        const array<float, 1> v{shape<1>(columns)};
        const auto timed = [&]<class Tree>(const expr<Tree>& e) {
            all.push_back(planned(detail::program_of<Tree>, e.arguments()));
        };
        timed(make(x, y, v));
    }
    std::sort(all.begin(), all.end());
    std::printf("%-28s %8.1f %8.1f\n", name, all[all.size() / 2], all.back());
}

void time_expressions() {
    const device_scope on_host(host());
    time("exp(x) * 2 + y", [](auto& x, auto& y, auto&) { return exp(x) * 2.f + y; });
    time("sum(x * y, axis=1)", [](auto& x, auto& y, auto&) { return sum(x * y, axis=1); });
    time("var(x, axis=0)", [](auto& x, auto&, auto&) { return var(x, axis=0); });
    time("softmax(x, axis=1)", [](auto& x, auto&, auto&) { return softmax(x, axis=1); });
    time("layer_norm(x) * v + v", [](auto& x, auto&, auto& v) { return layer_norm(x, axis=1) * v + v; });
    time("x + transpose(transpose(y))", [](auto& x, auto& y, auto&) { return x + transpose(transpose(y)); });
    time("concat(x, y, axis=1)", [](auto& x, auto& y, auto&) { return concat(x, y, axis=1); });
    time("x / sum(x) - mean(y, axis=0)", [](auto& x, auto& y, auto&) { return x / sum(x) - mean(y, axis=0); });
    time("softmax(gelu(x + v) - max(y))",
         [](auto& x, auto& y, auto& v) { return softmax(gelu(x + v) - max(y), axis=1); });
}

/// A line of the file: a name, an expression and its operands, separated by tabs.
struct named_program {
    std::string name;
    spoken::lowered text;
};

named_program read_program(const std::string& line) {
    std::istringstream parts(line);
    named_program p;
    std::string expression;
    std::getline(parts, p.name, '\t');
    std::getline(parts, expression, '\t');
    std::vector<std::string> operands;
    for (std::string text; std::getline(parts, text, '\t');) operands.push_back(text);
    p.text = spoken::read_request(expression, operands);
    return p;
}

/// The times of all programs of a file.
struct time_summary {
    double sum = 0, longest = 0;
    int programs = 0, above_a_millisecond = 0;
};

/// What else the machine does lengthens some repetitions, and none shortens them: the least is printed.
void print_time(const named_program& p, time_summary& all) {
    double least = planned(p.text.program(), p.text.arguments());
    for (int i = 1; i < repetitions; ++i) least = std::min(least, planned(p.text.program(), p.text.arguments()));
    std::printf("%8.1f  %s\n", least, p.name.c_str());
    all.sum += least;
    all.longest = std::max(all.longest, least);
    ++all.programs;
    all.above_a_millisecond += least > 1000;
}

void print_plans(const named_program& p) {
    const ir::program program = p.text.program();
    for (const bool library : {false, true}) {
        codegen::target to;
        if (library) to.library = [](const codegen::gemm&, const std::vector<int>&) { return true; };
        std::printf("%s%s\n", p.name.c_str(), library ? ", with a library" : "");
        for (const codegen::compiled_kernel& k : codegen::compile({&program, p.text.arguments()}, to, {}).kernels) {
            std::printf("%s", codegen::print(k.body).c_str());
            for (const int bytes : k.alignment) std::printf("%d ", bytes);
            std::printf("%s\n", k.chosen ? codegen::describe(*k.chosen).c_str() : k.product ? "product" : "call");
            if (k.chosen) std::printf("%s\n", codegen::class_key(k.body, *k.chosen).c_str());
        }
    }
}

void print_seconds(const named_program& p) {
    const ir::program program = p.text.program();
    const codegen::bindings bound{&program, p.text.arguments()};
    for (const bool library : {false, true}) {
        codegen::target to;
        if (library) to.library = [](const codegen::gemm&, const std::vector<int>&) { return true; };
        std::vector<codegen::loop_nest> kernels;
        for (codegen::compiled_kernel& k : codegen::compile(bound, to, {}).kernels)
            kernels.push_back(std::move(k.body));
        const double seconds = codegen::kernel_times(bound, to).prediction_of(std::move(kernels)).seconds;
        std::printf("%.9g  %s%s\n", seconds * 1e6, p.name.c_str(), library ? ", with a library" : "");
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        time_expressions();
        return 0;
    }
    std::ifstream file(argv[1]);
    time_summary times;
    const std::string_view asked = argc > 2 ? argv[2] : "";
    for (std::string line; std::getline(file, line);) try {
            const named_program p = read_program(line);
            if (asked == "--plans")
                print_plans(p);
            else if (asked == "--seconds")
                print_seconds(p);
            else
                print_time(p, times);
        } catch (const error& e) {
            std::printf("%s: %s\n", line.c_str(), e.what());
        }
    if (asked.empty())
        std::printf("%d programs: %.3f s, %d above a millisecond, at most %.1f ms\n", times.programs, times.sum * 1e-6,
                    times.above_a_millisecond, times.longest * 1e-3);
    return 0;
}
