// Line-by-line diff of the graph before and after each pass.
#include <codegen/explain/pass_diff.hpp>
#include <codegen/explain/picture.hpp>
#include <codegen/explain/words.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace sinter::codegen {
namespace {

using lines = std::vector<std::string>;

struct after_pass {
    std::string name;
    lines text;
};

std::vector<after_pass> split(const std::string& passes) {
    std::vector<after_pass> all;
    for (const std::string_view line : lines_of(passes))
        if (line.starts_with("after ") && line.back() == ':')
            all.push_back({std::string(line.substr(6, line.size() - 7)), {}});
        else if (!all.empty())
            all.back().text.emplace_back(line);
    return all;
}

/// Diff by longest common subsequence (https://en.wikipedia.org/wiki/Longest_common_subsequence), from the front.
std::string marked(const lines& before, const lines& after) {
    const std::size_t n = before.size(), m = after.size();
    std::vector<std::vector<int>> common(n + 1, std::vector<int>(m + 1, 0));
    for (std::size_t i = n; i-- > 0;)
        for (std::size_t j = m; j-- > 0;)
            common[i][j] =
                before[i] == after[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    std::string html;
    for (std::size_t i = 0, j = 0; i < n || j < m;) {
        if (i < n && j < m && before[i] == after[j]) {
            html += escaped(after[j]) + '\n';
            ++i;
            ++j;
        } else if (j == m || (i < n && common[i + 1][j] >= common[i][j + 1])) {
            html += "<del>" + escaped(before[i++]) + "</del>\n";
        } else {
            html += "<ins>" + escaped(after[j++]) + "</ins>\n";
        }
    }
    return html;
}

std::string plain(const lines& text) {
    std::string html;
    for (const std::string& line : text) html += escaped(line) + '\n';
    return html;
}

}  // namespace

std::string marked_passes(const std::string& passes) {
    std::string html;
    const std::vector<after_pass> all = split(passes);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const after_pass& now = all[i];
        // loop nests are printed unlike graphs, and partition starts a new graph
        const bool fresh = i == 0 || now.name == "lower-to-loops" || now.name == "partition";
        const bool same = !fresh && now.text == all[i - 1].text;
        html += fmt::format("<h3>after {}</h3>\n", escaped(now.name));
        if (same)
            html += "<p>Nothing changed.</p>\n";
        else
            html += "<pre tabindex=\"0\">" + (fresh ? plain(now.text) : marked(all[i - 1].text, now.text)) + "</pre>\n";
    }
    return html;
}

}  // namespace sinter::codegen
