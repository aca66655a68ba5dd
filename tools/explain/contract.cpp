// Parses conditions by the expression grammar, and evaluates both sides.
#include <fmt/format.h>
#include <sinter/error.hpp>
#include <tools/explain/contract.hpp>
#include <tools/explain/parser.hpp>
#include <tools/explain/reader.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace sinter::spoken {
namespace {

using measures = std::map<std::string, double>;

/// The maximum of a figure that only the compiler knows; -1 if unknown.
double most(const explanation& e, int kernel_report::*figure) {
    int all = e.kernels.empty() ? 0 : -1;
    for (const kernel_report& k : e.kernels) all = std::max(all, k.*figure);
    return all;
}

measures measures_of(const explanation& e, double least) {
    double seconds = 0;
    for (const kernel_report& k : e.kernels) seconds += k.predicted_seconds;
    return {{"launches", e.launches},
            {"unfused_launches", e.operations},
            {"bytes", static_cast<double>(e.bytes_fused)},
            {"unfused_bytes", static_cast<double>(e.bytes_unfused)},
            {"least", least},
            {"milliseconds", 1e3 * seconds},
            {"registers", most(e, &kernel_report::registers)},
            {"spills", most(e, &kernel_report::spill_bytes)},
            {"shared", most(e, &kernel_report::shared_bytes)}};
}

double value_of(const syntax& s, const measures& known) {
    if (s.what == syntax::kind::number) {
        number n;
        if (read_number(s, n)) return n.as_double();
    }
    if (s.what == syntax::kind::name) {
        const auto found = known.find(s.text);
        if (found == known.end()) {
            std::vector<std::string> names;
            for (const auto& [name, value] : known) names.push_back(name);
            throw problem(s.at, "there is no figure '" + s.text + "'" + nearest_name(s.text, names));
        }
        if (found->second < 0)
            throw problem(s.at, s.text + " is known only where NVRTC is installed, and for generated kernels");
        return found->second;
    }
    if (s.what == syntax::kind::infix) {
        const double left = value_of(s.parts[0], known), right = value_of(s.parts[1], known);
        if (s.text == "+") return left + right;
        if (s.text == "-") return left - right;
        if (s.text == "*") return left * right;
        if (s.text == "/") return left / right;
    }
    throw problem(s.at, "a condition consists of numbers and figures with + - * /: bytes<=1.05*least");
}

bool holds(const syntax& s, double left, double right) {
    if (s.what == syntax::kind::infix) {
        if (s.text == "==") return left == right;
        if (s.text == "!=") return left != right;
        if (s.text == "<=") return left <= right;
        if (s.text == ">=") return left >= right;
        if (s.text == "<") return left < right;
        if (s.text == ">") return left > right;
    }
    throw problem(s.at, "a condition compares: launches==1, bytes<=1.05*least");
}

/// Formats a number: integers in full up to 1e15, others with six digits.
std::string shown(double value) {
    return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                                : fmt::format("{:.6g}", value);
}

std::string broken_one(const std::string& text, const explanation& e, const measures& known) {
    try {
        const syntax s = parse(text);
        const bool compares = s.what == syntax::kind::infix && s.parts.size() == 2;
        const double left = compares ? value_of(s.parts[0], known) : 0;
        const double right = compares ? value_of(s.parts[1], known) : 0;
        if (holds(s, left, right)) return "";
        std::string line = fmt::format("{} does not hold: {} {} {}", text, shown(left), s.text, shown(right));
        if (text.find("launches") != std::string::npos)
            for (const std::string& reason : e.reasons) line += "; " + reason;
        return line;
    } catch (const problem& p) {
        throw error(with_marks(text, p));
    }
}

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

}  // namespace

std::vector<std::string> broken(const std::string& conditions, const explanation& e, double least) {
    const measures known = measures_of(e, least);
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin <= conditions.size();) {
        const std::size_t end = std::min(conditions.find(',', begin), conditions.size());
        const std::string line = broken_one(trimmed(conditions.substr(begin, end - begin)), e, known);
        if (!line.empty()) lines.push_back(line);
        begin = end + 1;
    }
    return lines;
}

}  // namespace sinter::spoken
