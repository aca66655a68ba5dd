// The main program of every benchmark: runs the given cases and prints one line of JSON for each way of computing each
// case.
#include <bench/measure/json.hpp>
#include <bench/measure/trial.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <map>

namespace bench {

namespace {

std::map<std::string, void (*)(const trial&)>& cases() {
    static std::map<std::string, void (*)(const trial&)> all;
    return all;
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == at)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

trial parse(const std::string& text, bool once) {
    const auto part = split(text, ':');
    try {
        trial t;
        t.spec = text;
        t.once = once;
        t.name = part.at(0);
        for (const std::string& extent : split(part.at(1), 'x')) t.dimensions.push_back(std::stoll(extent));
        t.low = std::stod(part.at(2));
        t.high = std::stod(part.at(3));
        t.sets = std::stoul(part.at(4));
        if (t.sets > 0) return t;
    } catch (const std::exception&) {
        // reported below with one message
    }
    throw sinter::error("'" + text + "' is no case: say NAME:EXTENTS:LOW:HIGH:SETS, as in exp.float32:1000:-2:2:1");
}

void run(const std::string& text, bool once) {
    const trial t = parse(text, once);
    const auto found = cases().find(t.name);
    if (found == cases().end()) {
        std::printf("{\"case\": %s, \"missing\": true}\n", quoted(t.spec).c_str());
        return;
    }
    try {
        found->second(t);
    } catch (const std::exception& e) {
        std::printf("{\"case\": %s, \"error\": %s}\n", quoted(t.spec).c_str(), quoted(e.what()).c_str());
    }
}

}  // namespace

registration::registration(const char* name, void (*run)(const trial&)) { cases()[name] = run; }

void print(const trial& t, const report& r) {
    std::printf("{\"case\": %s, \"variant\": %s, \"approximate\": %s, \"launches\": %d, \"detail\": %s, ",
                quoted(t.spec).c_str(), quoted(r.variant).c_str(), r.approximate ? "true" : "false", r.launches,
                quoted(r.detail).c_str());
    if (r.predicted_ms > 0)
        std::printf("\"predicted_ms\": %.6g, \"predicted_bytes\": %lld, \"bound_by\": %s, ", r.predicted_ms,
                    static_cast<long long>(r.predicted_bytes), quoted(r.bound_by).c_str());
    std::printf("\"ms\": %.6g, \"fastest_ms\": %.6g, \"slowest_ms\": %.6g, \"queued_ms\": %.6g, ", r.time.median_ms,
                r.time.fastest_ms, r.time.slowest_ms, r.time.queued_ms);
    std::printf("\"host_us\": %.4g, \"first_ms\": %.6g, ", r.time.host_us, r.time.first_ms);
    std::printf("\"runs\": %d, \"batch\": %d, \"unwritten\": %lld, \"samples\": [", r.time.runs, r.time.batch,
                static_cast<long long>(r.unwritten));
    for (std::size_t i = 0; i < r.samples.size(); ++i) std::printf("%s%s", i ? ", " : "", number(r.samples[i]).c_str());
    std::printf("]}\n");
}

}  // namespace bench

int main(int argc, char** argv) try {
    CLI::App app{"Runs benchmark cases; prints one line of JSON for each way of computing each of them."};
    bool list = false, once = false;
    std::vector<std::string> wanted;
    app.add_flag("--list", list, "print the names of the cases and exit");
    app.add_flag("--once", once,
                 "for a profiler: compute each case thrice, the last time behind the kernel `hold`, untimed");
    app.add_option("case", wanted, "NAME:EXTENTS:LOW:HIGH:SETS, as in softmax.float32:8192x4096:-2:2:2");
    CLI11_PARSE(app, argc, argv);
    if (list)
        for (const auto& [name, unused] : bench::cases()) std::printf("%s\n", name.c_str());
    else
        std::printf("{\"device\": %s}\n", bench::quoted(bench::device_description()).c_str());
    for (const std::string& text : wanted) {
        std::fflush(stdout);
        bench::run(text, once);
    }
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
}
