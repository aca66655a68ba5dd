// The explanation as one self-contained HTML file without scripts. Kernel lines and tree nodes link to each other, and
// CSS marks a link's target.
#include <codegen/explain/pass_diff.hpp>
#include <codegen/explain/picture.hpp>
#include <codegen/explain/words.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace sinter {
namespace {

using codegen::count_in_words;
using codegen::escaped;
using codegen::lines_of;
using codegen::megabytes;

constexpr const char* style = R"(
:root { color-scheme: light dark; --ink: #1b1b1b; --quiet: #4a4a4a; --paper: #ffffff; --panel: #f6f6f4; }
:root { --rule: #c8c8c8; --link: #0b4f9c; --hover: #dcebfa; --mark: #ffe9a8; --added: #d7f0d2; --removed: #f8dada; }
:root { --node: #eef3fa; --line: #51708f; --edge: #8a8a8a; --tick: #dddddd; --fused: #b3261e; --unfused: #2c3e50; }
@media (prefers-color-scheme: dark) {
:root { --ink: #e6e6e3; --quiet: #b4b4b0; --paper: #17181a; --panel: #222427; --rule: #45484d; }
:root { --link: #8ab8f5; --hover: #29384a; --mark: #54430f; --added: #1f4a1c; --removed: #5c2626; }
:root { --node: #25303d; --line: #7d9cbb; --edge: #7a7d82; --tick: #33363a; --fused: #ff8a7a; --unfused: #b9cbe0; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
body { margin: 0 auto; max-width: 76rem; padding: 0 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.3; overflow-wrap: anywhere; }
h1 code { font-size: 1.4rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
nav ul { display: flex; flex-wrap: wrap; gap: 1rem; list-style: none; padding: 0; }
table { border-collapse: collapse; margin-bottom: 1rem; }
caption { text-align: left; padding: .2rem .8rem; }
th, td { text-align: right; padding: .2rem .8rem; border-bottom: 1px solid var(--rule); }
td { font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; }
pre { font: 13px/1.45 ui-monospace, monospace; background: var(--panel); padding: .6rem; overflow-x: auto; }
pre.code a { color: var(--ink); text-decoration: none; }
pre.code a:hover { background: var(--hover); }
pre.code a:target { background: var(--mark); }
ins { background: var(--added); color: var(--ink); text-decoration: none; }
del { background: var(--removed); color: var(--ink); }
.side { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1rem; align-items: start; }
@media (max-width: 60rem) { .side { grid-template-columns: minmax(0, 1fr); } }
.picture { overflow: auto; }
.picture svg { display: block; margin: .3rem; }
.side .picture { position: sticky; top: 0; max-height: 100vh; }
svg text { font: 12px ui-monospace, monospace; fill: var(--ink); }
svg .node text { text-anchor: middle; }
svg .node text.type { font-size: 10px; fill: var(--quiet); }
svg text.cell { text-anchor: middle; font-size: 10px; fill: #1b1b1b; }
svg .node rect { fill: var(--node); stroke: var(--line); }
svg a.node:target rect { fill: var(--mark); stroke-width: 3; }
svg .edge { stroke: var(--edge); }
svg .station { fill: var(--panel); stroke: var(--line); }
svg text.where, svg text.strong { font-weight: bold; }
svg .arrow { fill: none; stroke: var(--line); stroke-width: 2; }
svg .tick { stroke: var(--tick); }
svg .roof { fill: none; stroke: var(--ink); stroke-width: 2; }
svg circle.fused { fill: var(--fused); }
svg circle.unfused { fill: var(--paper); stroke: var(--unfused); stroke-width: 2; }
)";

double seconds(const std::vector<kernel_report>& kernels) {
    double sum = 0;
    for (const kernel_report& k : kernels) sum += k.predicted_seconds;
    return sum;
}
double operations(const std::vector<kernel_report>& kernels) {
    double sum = 0;
    for (const kernel_report& k : kernels) sum += k.operations;
    return sum;
}

/// A picture that keyboard users can scroll if it is wider than the window.
std::string framed(const std::string& name, const std::string& picture) {
    return fmt::format("<div class=\"picture\" role=\"group\" tabindex=\"0\" aria-label=\"{}\">{}</div>\n", name,
                       picture);
}

std::string costs(const explanation& e) {
    const auto row = [](const char* what, const std::string& fused, const std::string& unfused) {
        return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n", what, fused, unfused);
    };
    return "<table>\n<caption>Device: " + escaped(e.device) +
           "</caption>\n<tr><td></td><th scope=\"col\">fused</th><th scope=\"col\">one kernel per "
           "operation</th></tr>\n" +
           row("launches", std::to_string(e.launches), std::to_string(e.operations)) +
           row("bytes moved", megabytes(e.bytes_fused), megabytes(e.bytes_unfused)) +
           row("arithmetic operations", count_in_words(operations(e.kernels)), count_in_words(operations(e.unfused))) +
           row("predicted time", fmt::format("{:.4f} ms", seconds(e.kernels) * 1e3),
               fmt::format("{:.4f} ms", seconds(e.unfused) * 1e3)) +
           "</table>\n";
}

/// The kernel's source; each line links to the value that it computes.
std::string code(const kernel_report& k, std::size_t number) {
    std::string html = "<pre class=\"code\">";
    const std::vector<std::string_view> lines = lines_of(k.source);
    for (std::size_t line = 0; line < lines.size(); ++line)
        if (lines[line].empty())
            html += '\n';
        else
            html += fmt::format("<a id=\"k{0}l{1}\" href=\"#k{0}v{2}\">{3}</a>\n", number, line, k.line_values[line],
                                escaped(std::string(lines[line])));
    return html + "</pre>\n";
}

/// For each value, the link to the first line about it.
std::vector<std::string> first_lines(const kernel_report& k, std::size_t number) {
    std::vector<std::string> links(k.values.size());
    const std::vector<std::string_view> lines = lines_of(k.source);
    for (std::size_t line = 0; line < lines.size(); ++line) {
        std::string& link = links[static_cast<std::size_t>(k.line_values[line])];
        if (link.empty() && !lines[line].empty()) link = fmt::format("k{}l{}", number, line);
    }
    return links;
}

std::string resources(const kernel_report& k) {
    std::string html;
    if (k.blocks > 0) html = fmt::format("<li>{} blocks of {} threads</li>\n", k.blocks, k.threads_per_block);
    if (k.registers >= 0)
        html += fmt::format(
            "<li>{} registers per thread, {} bytes spilled, {} bytes of shared memory per block, {} bytes of "
            "code; occupancy of at most {:.0f} %</li>\n",
            k.registers, k.spill_bytes, k.shared_bytes, k.image_bytes, k.occupancy * 100);
    return html + fmt::format("<li>moves {}, computes {} operations: {:.4f} ms predicted, bound by {}</li>\n",
                              megabytes(k.bytes), count_in_words(k.operations), k.predicted_seconds * 1e3, k.bound_by);
}

std::string kernel_section(const kernel_report& k, std::size_t number, std::size_t count) {
    std::vector<int> stores;  // the values that no other value uses
    std::vector<bool> is_read(k.values.size(), false);
    for (const tree_node& n : k.values)
        for (const int in : n.operands) is_read[static_cast<std::size_t>(in)] = true;
    for (std::size_t v = 0; v < k.values.size(); ++v)
        if (!is_read[v]) stores.push_back(static_cast<int>(v));
    return fmt::format(
        "<section aria-labelledby=\"kernel{0}\">\n<h2 id=\"kernel{0}\">Kernel {1} of {2}</h2>\n"
        "<p><code>{3}</code></p>\n<h3>Schedule</h3>\n<p>{4}</p>\n<ul>\n{5}</ul>\n"
        "{6}<h3>Source and values</h3>\n"
        "<p>Each line links to the value that it computes, and each value to its first line.</p>\n"
        "<div class=\"side\">{7}<div class=\"picture\">{8}</div></div>\n</section>\n",
        number, number + 1, count, escaped(k.expression), escaped(k.schedule), resources(k),
        k.picture.empty() ? "" : framed("Pictures of the schedule", k.picture), code(k, number),
        codegen::tree_picture(k.values, stores, fmt::format("k{}v", number),
                              fmt::format("The values of kernel {}", number + 1), first_lines(k, number)));
}

std::string unfused_section(const explanation& e) {
    std::string html =
        "<section aria-labelledby=\"unfused\">\n<h2 id=\"unfused\">Without fusion</h2>\n"
        "<p>One kernel per operation, each of which stores its result.</p>\n";
    for (std::size_t i = 0; i < e.unfused.size(); ++i) {
        const kernel_report& k = e.unfused[i];
        html += fmt::format(
            "<details>\n<summary>{}: <code>{}</code>, {}, {:.4f} ms predicted</summary>\n<pre tabindex=\"0\">{}</pre>\n"
            "</details>\n",
            i + 1, escaped(k.expression), megabytes(k.bytes), k.predicted_seconds * 1e3, escaped(k.source));
    }
    return html + "</section>\n";
}

std::string roofline(const explanation& e) {
    std::vector<codegen::roofline_point> points;
    const auto add = [&](const std::vector<kernel_report>& kernels, bool fused) {
        for (const kernel_report& k : kernels)
            points.push_back({k.expression, k.operations / std::max(1.0, static_cast<double>(k.bytes)),
                              k.operations / k.predicted_seconds, fused});
    };
    add(e.unfused, false);
    add(e.kernels, true);
    return codegen::roofline_picture(points, e.bytes_per_second, e.operations_per_second);
}

std::string reasons_of(const explanation& e) {
    if (e.reasons.empty()) return "<p>The whole expression is one kernel.</p>\n";
    std::string html = "<p>The expression is more than one kernel for these reasons:</p>\n<ul>\n";
    for (const std::string& r : e.reasons) html += "<li>" + escaped(r) + "</li>\n";
    return html + "</ul>\n";
}

}  // namespace

std::string explanation::page() const {
    std::string links;
    for (std::size_t i = 0; i < kernels.size(); ++i)
        links += fmt::format("<li><a href=\"#kernel{}\">Kernel {}</a></li>", i, i + 1);
    std::string html =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n"
        "<title>" +
        (title.empty() ? "An expression, explained" : escaped(title) + " - explained") + "</title>\n<style>" +
        std::string(style) + "</style>\n</head>\n<body>\n<header>\n<h1>" +
        (title.empty() ? "An expression, explained" : "<code>" + escaped(title) + "</code>") + "</h1>\n" +
        "<nav aria-label=\"Sections\"><ul><li><a href=\"#expression\">Expression</a></li>" + links +
        "<li><a href=\"#unfused\">Without fusion</a></li><li><a href=\"#roofline\">Roofline</a></li>"
        "<li><a href=\"#passes\">Passes</a></li></ul></nav>\n</header>\n<main>\n";
    html +=
        "<section aria-labelledby=\"expression\">\n<h2 id=\"expression\">Expression</h2>\n" + costs(*this) +
        framed("The expression's tree",
               codegen::tree_picture(nodes, roots, "n", "The expression as it was written", {})) +
        "<p>x0, x1 ... are the arrays and s0, s1 ... the numbers, in the order of their first use. A kernel numbers "
        "its own arguments.</p>\n" +
        reasons_of(*this) + "</section>\n";
    for (std::size_t i = 0; i < kernels.size(); ++i) html += kernel_section(kernels[i], i, kernels.size());
    html += unfused_section(*this);
    html +=
        "<section aria-labelledby=\"roofline\">\n<h2 id=\"roofline\">Roofline</h2>\n"
        "<p>The line is the device's limit: memory bandwidth on the left, arithmetic on the right. Points are "
        "predictions: filled ones with fusion, hollow ones without, numbered as above.</p>\n" +
        framed("The roofline", roofline(*this)) + "</section>\n";
    html += "<section aria-labelledby=\"passes\">\n<h2 id=\"passes\">Passes</h2>\n" + codegen::marked_passes(passes) +
            "</section>\n";
    return html + "</main>\n</body>\n</html>\n";
}

void explanation::save(const std::string& path) const {
    const std::string html = page();
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    const bool written = file && std::fwrite(html.data(), 1, html.size(), file) == html.size();
    const bool closed = file && std::fclose(file) == 0;
    if (!written || !closed)
        throw error(fmt::format("explanation: cannot write {}; is there such a folder, and room?", path));
}

}  // namespace sinter
