// The corpus as a program. It answers the commands of commands.hpp, where a problem is a case and its extents:
//
//     load SETS NAME N=1000,C=3
//
// `program check FILE.npz` instead evaluates each case with the test's extents, and compares it with the samples of a
// reference in double, which make_expected.py writes.
#include <bench/corpus/commands.hpp>
#include <bench/measure/json.hpp>

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace corpus {

namespace {

using bench::number;

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

problem named(const std::string& text, std::size_t sets) {
    std::istringstream words(text);
    std::string name, extents;
    words >> name >> extents;
    problem p(parse_extents(extents), sets);
    find(name).make(p);
    return p;
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
    corpus::answer_commands(corpus::named);
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
}
