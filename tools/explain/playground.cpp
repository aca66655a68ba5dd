// The playground's form, and explanation pages with the form on top.
#include <fmt/format.h>
#include <tools/explain/playground.hpp>
#include <tools/explain/request.hpp>

#include <map>
#include <sstream>

namespace sinter::spoken {
namespace {

constexpr const char* examples[][2] = {
    {"sqrt(sum(x*x, axis=2))", "x:f64[1000,100,1000]"},
    {"softmax(x, axis=1)", "x:f32[8192,4096]"},
    {"layer_norm(x, axis=1) * w + b", "x:f32[16384,4096] w:f32[4096] b:f32[4096]"},
    {"sum(square(x(all, newaxis, all) - y), axis=2)", "x:f32[4096,64] y:f32[4096,64]"},
    {"relu(matmul(x, w) + b)", "x:f16[512,512] w:f16[512,512] b:f16[512]"},
};

constexpr const char* archs[] = {"", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"};

constexpr const char* style =
    ":root{color-scheme:light dark;--ink:#1b1b1b;--paper:#ffffff;--link:#0b4f9c;--quiet:#4a4a4a;--wrong:#b3261e}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e6e3;--paper:#17181a;--link:#8ab8f5;--quiet:#b4b4b0;"
    "--wrong:#ff8a7a}}body{font-family:system-ui,sans-serif;margin:1.5em auto;max-width:75em;padding:0 1em;"
    "color:var(--ink);background:var(--paper)}form.ask{display:grid;gap:.6em;max-width:50em;margin:1em 0}"
    "form.ask label{font-weight:600}form.ask input,form.ask select,form.ask button{font:inherit;padding:.4em;"
    "border:1px solid var(--quiet);border-radius:4px;color:var(--ink);background:var(--paper)}"
    "form.ask input{font-family:ui-monospace,monospace}form.ask button{background:var(--link);color:var(--paper);"
    "justify-self:start;padding:.5em 1.5em}a{color:var(--link)}p.wrong{font-family:ui-monospace,monospace;"
    "white-space:pre-wrap;border-left:4px solid var(--wrong);padding:.5em 1em}"
    ":focus-visible{outline:3px solid var(--link);outline-offset:2px}";

std::string escaped(const std::string& text) {
    std::string html;
    for (const char c : text) {
        switch (c) {
            case '&': html += "&amp;"; break;
            case '<': html += "&lt;"; break;
            case '>': html += "&gt;"; break;
            case '"': html += "&quot;"; break;
            default: html += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? ' ' : c;
        }
    }
    return html;
}

/// Percent-encodes text as part of an address.
std::string encoded(const std::string& text) {
    std::string part;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                           c == '-' || c == '.' || c == ':';
        part += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return part;
}

std::string address_of(const std::string& expression, const std::string& operands) {
    return "/?e=" + encoded(expression) + "&amp;o=" + encoded(operands);
}

std::string form(const std::string& expression, const std::string& operands, const std::string& arch) {
    std::string html = fmt::format(
        "<form class=\"ask\" action=\"/\" method=\"get\">\n"
        "<label for=\"e\">Expression, as in C++</label>\n<input id=\"e\" name=\"e\" value=\"{}\" "
        "autocomplete=\"off\" spellcheck=\"false\" required>\n"
        "<label for=\"o\">Operands: NAME:DTYPE[EXTENTS], separated by spaces</label>\n<input id=\"o\" name=\"o\" "
        "value=\"{}\" autocomplete=\"off\" spellcheck=\"false\">\n<label for=\"arch\">GPU</label>\n"
        "<select id=\"arch\" name=\"arch\">",
        escaped(expression), escaped(operands));
    for (const char* a : archs)
        html += fmt::format("<option value=\"{}\"{}>{}</option>", a, arch == a ? " selected" : "",
                            *a ? a : "this machine's GPU, or an H200");
    return html + "</select>\n<button>Explain</button>\n</form>\n";
}

std::string list_of_examples() {
    std::string html = "<h2>Examples</h2>\n<ul>\n";
    for (const auto& [expression, operands] : examples)
        html += fmt::format("<li><a href=\"{}\"><code>{}</code></a> of <code>{}</code></li>\n",
                            address_of(expression, operands), escaped(expression), escaped(operands));
    return html + "</ul>\n";
}

std::string page(const std::string& inner) {
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n"
           "<title>Sinter: a playground</title>\n<style>" +
           std::string(style) +
           "</style>\n</head>\n<body>\n<main>\n<h1>What does an expression become?</h1>\n"
           "<p>Its tree, passes, kernels, memory traffic and roofline, fused and with one kernel per operation. "
           "Nothing is run. The page's address contains the question, so it can be shared.</p>\n" +
           inner + "</main>\n</body>\n</html>\n";
}

/// The explanation page with the form inserted at the top.
std::string with_form(std::string explained, const std::string& top) {
    const std::string style_end = "</style>", body = "<body>\n";
    if (const std::size_t at = explained.find(style_end); at != std::string::npos) explained.insert(at, style);
    if (const std::size_t at = explained.find(body); at != std::string::npos)
        explained.insert(at + body.size(), "<section aria-label=\"Question\">\n" + top + "</section>\n");
    return explained;
}

answer not_understood(int status, const std::string& why) { return {status, "text/plain; charset=utf-8", why + "\n"}; }

/// Parses the fields of a query; false if it is not a form's.
bool read_query(const std::string& query, std::map<std::string, std::string>& fields) {
    std::istringstream parts(query);
    for (std::string part; std::getline(parts, part, '&');) {
        const std::size_t equals = part.find('=');
        std::string name, value;
        if (equals == std::string::npos || !decoded(part.substr(0, equals), name) ||
            !decoded(part.substr(equals + 1), value) || !fields.emplace(name, value).second)
            return false;
    }
    return true;
}

}  // namespace

bool decoded(const std::string& part, std::string& into) {
    const auto digit = [](char c) {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
    };
    for (std::size_t i = 0; i < part.size(); ++i) {
        if (part[i] != '%') {
            into += part[i] == '+' ? ' ' : part[i];
            continue;
        }
        if (i + 2 >= part.size()) return false;
        const int high = digit(part[i + 1]), low = digit(part[i + 2]);
        if (high < 0 || low < 0) return false;
        into += static_cast<char>(16 * high + low);
        i += 2;
    }
    return true;
}

answer answer_to(const std::string& target) {
    const std::size_t question = target.find('?');
    if (target.substr(0, question) != "/") return not_understood(404, "there is one page here: /");
    std::map<std::string, std::string> fields;
    if (question != std::string::npos && !read_query(target.substr(question + 1), fields))
        return not_understood(400, "the query is not one of the form");
    for (const auto& [name, value] : fields)
        if (name != "e" && name != "o" && name != "arch") return not_understood(400, "the form has e, o and arch");
    const std::string &expression = fields["e"], &operands = fields["o"], &arch = fields["arch"];
    const std::string top = form(expression, operands, arch);
    if (expression.empty()) return {200, "text/html; charset=utf-8", page(top + list_of_examples())};
    try {
        std::istringstream words(operands);
        std::vector<std::string> texts;
        for (std::string word; words >> word;) texts.push_back(word);
        const lowered l = read_request(expression, texts);
        explanation e = explain(l, properties_for(arch));
        e.title = heading_of(expression, texts);
        return {200, "text/html; charset=utf-8", with_form(e.page(), top)};
    } catch (const std::exception& e) {
        const std::string wrong = "<p class=\"wrong\" role=\"alert\">" + escaped(e.what()) + "</p>\n";
        return {422, "text/html; charset=utf-8", page(top + wrong + list_of_examples())};
    }
}

}  // namespace sinter::spoken
