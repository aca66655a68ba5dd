// The corpus as a program. It reads commands from standard input and answers each with a line of JSON:
//
//     load NAME SETS N=1000,C=3    makes the operands, evaluates once; reports launches, schedule and samples
//     time SECONDS                 evaluates repeatedly: seconds per evaluation
//     drop                         frees what was loaded
//
// `program check FILE.npz` instead evaluates each case with the test's extents, and compares it with the samples of a
// reference in double, which make_expected.py writes.
#include <bench/corpus/program.hpp>
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

std::map<std::string, row>& rows() {
    static std::map<std::string, row> all;
    return all;
}

std::map<std::string, std::int64_t> parse_extents(const std::string& text) {
    std::map<std::string, std::int64_t> extents;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        const auto equals = part.find('=');
        extents[part.substr(0, equals)] = std::stoll(part.substr(equals + 1));
    }
    return extents;
}

const row& find(const std::string& name) {
    const auto found = rows().find(name);
    if (found == rows().end()) throw sinter::error("the corpus has no case '" + name + "': `list` names them");
    return found->second;
}

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

std::string load(std::optional<problem>& p, const std::string& name, std::size_t sets, const std::string& extents) {
    p.emplace(parse_extents(extents), sets);
    find(name).make(*p);
    sinter::synchronize();
    const auto start = bench::stopwatch::now();
    p->evaluate(0);
    sinter::synchronize();
    const double first = bench::seconds_since(start);
    p->poison();
    for (std::size_t i = 0; i < sets; ++i) p->evaluate(i);
    std::string results;
    for (const sampled& s : p->samples()) {
        results += std::string(results.empty() ? "" : ", ") + "{\"unwritten\": " + std::to_string(s.unwritten) +
                   ", \"values\": [";
        for (std::size_t i = 0; i < s.values.size(); ++i) results += (i ? ", " : "") + number(s.values[i]);
        results += "]}";
    }
    const bool host = sinter::current_device() == sinter::host();  // explain() does not describe host kernels
    return "\"first_ms\": " + number(first * 1e3) + ", \"results\": [" + results + "]" +
           (host ? std::string() : ", " + described(p->explain()));
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

void answer(const std::string& line, std::optional<problem>& p) try {
    std::istringstream words(line);
    std::string command, name, extents;
    std::size_t sets = 1;
    double seconds = 0;
    words >> command;
    std::string body;
    if (command == "load") {
        words >> name >> sets >> extents;
        body = load(p, name, sets, extents);
    } else if (command == "time" && p) {
        words >> seconds;
        body = time(*p, seconds);
    } else if (command == "drop") {
        p.reset();
        body = "\"dropped\": true";
    } else {
        throw sinter::error("'" + line + "' is no command: say load, time or drop");
    }
    std::printf("{%s}\n", body.c_str());
} catch (const std::exception& e) {
    std::printf("{\"error\": %s}\n", quoted(e.what()).c_str());
}

/// Compares samples with a reference. Returns a description of the difference, or nothing.
std::string difference(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
    if (found.size() != expected.size())
        return std::to_string(found.size()) + " samples instead of " + std::to_string(expected.size());
    double scale = 0, error = 0;
    std::size_t worst = 0;
    for (const double v : expected) scale = std::max(scale, std::abs(v));
    for (std::size_t i = 0; i < found.size(); ++i)
        if (const double d = std::abs(found[i] - expected[i]); !(d <= error)) {  // NaN, too
            error = d;
            worst = i;
            if (std::isnan(d)) break;
        }
    if (error <= tolerance * (scale > 0 ? scale : 1)) return {};
    return "sample " + std::to_string(worst) + " is " + number(found[worst]) + " instead of " +
           number(expected[worst]) + ", of numbers up to " + number(scale);
}

int check(const std::string& file) {
    int wrong = 0;
    for (const auto& [name, r] : rows()) try {
            problem p(parse_extents(r.extents), 1);
            r.make(p);
            p.evaluate(0);
            p.poison();
            p.evaluate(0);
            int k = 0;
            for (const sampled& s : p.samples()) {
                const auto expected = sinter::load_npz<double, 1>(file, name + "." + std::to_string(k));
                const std::string problem = difference(s.values, sinter::to_host(expected), r.tolerance);
                if (!problem.empty()) {
                    std::printf("%s, result %d: %s\n", name.c_str(), k, problem.c_str());
                    ++wrong;
                }
                ++k;
            }
        } catch (const std::exception& e) {
            std::printf("%s: %s\n", name.c_str(), e.what());
            ++wrong;
        }
    std::printf("%zu cases, %d wrong\n", rows().size(), wrong);
    return wrong > 0 || rows().empty() ? 1 : 0;
}

}  // namespace

template <class T>
std::vector<T> made_numbers(std::uint32_t seed, std::int64_t n, double low, double high) {
    if constexpr (sinter::is_complex(sinter::dtype_of<T>)) {
        using part = typename T::value_type;
        const auto parts = made_numbers<part>(seed, 2 * n, low, high);
        std::vector<T> out;
        out.reserve(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < parts.size(); i += 2) out.emplace_back(parts[i], parts[i + 1]);
        return out;
    } else {
        return bench::values<T>(seed, n, low, high, [](double v) {
            if constexpr (std::is_integral_v<T>)
                return static_cast<T>(std::floor(v));
            else if constexpr (sizeof(T) == 2)
                return static_cast<T>(static_cast<float>(v));
            else
                return static_cast<T>(v);
        });
    }
}

template <class T>
std::int64_t count_nan(const std::vector<T>& elements) {
    if constexpr (std::is_integral_v<T>)
        return 0;
    else if constexpr (sinter::is_complex(sinter::dtype_of<T>))
        return std::count_if(elements.begin(), elements.end(), [](const T& v) { return std::isnan(v.real()); });
    else
        return std::count_if(elements.begin(), elements.end(),
                             [](const T& v) { return std::isnan(static_cast<float>(v)); });
}

template std::vector<std::uint8_t> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<std::uint8_t>&);
template std::vector<std::int8_t> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<std::int8_t>&);
template std::vector<std::int16_t> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<std::int16_t>&);
template std::vector<std::int32_t> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<std::int32_t>&);
template std::vector<std::int64_t> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<std::int64_t>&);
template std::vector<float> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<float>&);
template std::vector<double> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<double>&);
template std::vector<sinter::float16> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<sinter::float16>&);
template std::vector<sinter::bfloat16> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<sinter::bfloat16>&);
template std::vector<std::complex<float>> made_numbers(std::uint32_t, std::int64_t, double, double);
template std::int64_t count_nan(const std::vector<std::complex<float>>&);
template std::int64_t count_nan(const std::vector<bool>&);

std::int64_t problem::operator[](const std::string& name) const {
    const auto found = extents_.find(name);
    if (found == extents_.end()) throw sinter::error("the case has no extent '" + name + "': add it to its row");
    return found->second;
}

registration::registration(const char* name, const row& r) { rows()[name] = r; }

}  // namespace corpus

int main(int argc, char** argv) try {
    if (argc == 3 && std::string(argv[1]) == "check") return corpus::check(argv[2]);
    if (argc == 2 && std::string(argv[1]) == "list") {
        for (const auto& [name, unused] : corpus::rows()) std::printf("%s\n", name.c_str());
        return 0;
    }
    std::printf("{\"device\": %s}\n", bench::quoted(sinter::current_device().description()).c_str());
    std::fflush(stdout);
    std::optional<corpus::problem> loaded;
    for (std::string line; std::getline(std::cin, line);) {
        corpus::answer(line, loaded);
        std::fflush(stdout);
    }
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
}
