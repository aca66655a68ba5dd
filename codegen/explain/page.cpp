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

using codegen::escaped;
using codegen::lines_of;
using codegen::megabytes;

constexpr const char* style = R"(
body { font: 16px/1.5 system-ui, sans-serif; color: #1b1b1b; background: #ffffff; }
body { margin: 0 auto; max-width: 76rem; padding: 0 1rem 4rem; }
a { color: #0b4f9c; }
:focus-visible { outline: 3px solid #0b4f9c; outline-offset: 2px; }
nav ul { display: flex; flex-wrap: wrap; gap: 1rem; list-style: none; padding: 0; }
table { border-collapse: collapse; }
th, td { text-align: right; padding: .2rem .8rem; border-bottom: 1px solid #c8c8c8; }
th:first-child, td:first-child { text-align: left; }
pre { font: 13px/1.45 ui-monospace, monospace; background: #f6f6f4; padding: .6rem; overflow-x: auto; }
pre.code a { color: #1b1b1b; text-decoration: none; }
pre.code a:hover { background: #dcebfa; }
pre.code a:target { background: #ffe9a8; }
ins { background: #d7f0d2; color: #1b1b1b; text-decoration: none; }
del { background: #f8dada; color: #1b1b1b; }
.side { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1rem; align-items: start; }
@media (max-width: 60rem) { .side { grid-template-columns: minmax(0, 1fr); } }
.picture { overflow: auto; }
.picture svg { display: block; margin: .3rem; }
.side .picture { position: sticky; top: 0; max-height: 100vh; }
svg text { font: 12px ui-monospace, monospace; fill: #1b1b1b; }
svg .node text { text-anchor: middle; }
svg .node text.type { font-size: 10px; fill: #4a4a4a; }
svg text.cell { text-anchor: middle; font-size: 10px; }
svg .node rect { fill: #eef3fa; stroke: #51708f; }
svg a.node:target rect { fill: #ffe9a8; stroke-width: 3; }
svg .edge { stroke: #8a8a8a; }
svg .station { fill: #f6f6f4; stroke: #51708f; }
svg text.where { font-weight: bold; }
svg .arrow { fill: none; stroke: #51708f; stroke-width: 2; }
svg .tick { stroke: #dddddd; }
svg .roof { fill: none; stroke: #1b1b1b; stroke-width: 2; }
svg circle.fused { fill: #b3261e; }
svg circle.unfused { fill: #ffffff; stroke: #2c3e50; stroke-width: 2; }
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
    return "<table>\n<caption>For " + escaped(e.device) +
           "</caption>\n<tr><td></td><th scope=\"col\">fused</th><th scope=\"col\">one kernel an "
           "operation</th></tr>\n" +
           row("launches", std::to_string(e.launches), std::to_string(e.operations)) +
           row("bytes moved", megabytes(e.bytes_fused), megabytes(e.bytes_unfused)) +
           row("operations on elements", fmt::format("{:.4g}", operations(e.kernels)),
               fmt::format("{:.4g}", operations(e.unfused))) +
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
            "code: at most {:.0f} % of a multiprocessor's threads at once</li>\n",
            k.registers, k.spill_bytes, k.shared_bytes, k.image_bytes, k.occupancy * 100);
    return html + fmt::format("<li>moves {}, computes {:.4g} operations: {:.4f} ms predicted, bound by {}</li>\n",
                              megabytes(k.bytes), k.operations, k.predicted_seconds * 1e3, k.bound_by);
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
        "{6}<h3>Text and values</h3>\n"
        "<p>A line leads to the value it computes, a value to its first line.</p>\n"
        "<div class=\"side\">{7}<div class=\"picture\">{8}</div></div>\n</section>\n",
        number, number + 1, count, escaped(k.expression), escaped(k.schedule), resources(k),
        k.picture.empty() ? "" : framed("Pictures of the schedule", k.picture), code(k, number),
        codegen::tree_picture(k.values, stores, fmt::format("k{}v", number),
                              fmt::format("The values of kernel {}", number + 1), first_lines(k, number)));
}

std::string unfused_section(const explanation& e) {
    std::string html =
        "<section aria-labelledby=\"unfused\">\n<h2 id=\"unfused\">Without fusion</h2>\n"
        "<p>One kernel per operation, each with its result in memory.</p>\n";
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
    if (e.reasons.empty()) return "<p>All of it is one kernel.</p>\n";
    std::string html = "<p>It is more than one kernel, because</p>\n<ul>\n";
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
        "<title>An expression, explained</title>\n<style>" +
        std::string(style) + "</style>\n</head>\n<body>\n<header>\n<h1>An expression, explained</h1>\n" +
        "<nav aria-label=\"Sections\"><ul><li><a href=\"#expression\">Expression</a></li>" + links +
        "<li><a href=\"#unfused\">Without fusion</a></li><li><a href=\"#roofline\">Roofline</a></li>"
        "<li><a href=\"#passes\">Passes</a></li></ul></nav>\n</header>\n<main>\n";
    html += "<section aria-labelledby=\"expression\">\n<h2 id=\"expression\">Expression</h2>\n" + costs(*this) +
            framed("The expression's tree",
                   codegen::tree_picture(nodes, roots, "n", "The expression as it was written", {})) +
            reasons_of(*this) + "</section>\n";
    for (std::size_t i = 0; i < kernels.size(); ++i) html += kernel_section(kernels[i], i, kernels.size());
    html += unfused_section(*this);
    html +=
        "<section aria-labelledby=\"roofline\">\n<h2 id=\"roofline\">Roofline</h2>\n"
        "<p>The line is what the machine can do: bytes bound it on the left, arithmetic on the right. The points are "
        "predictions.</p>\n" +
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
