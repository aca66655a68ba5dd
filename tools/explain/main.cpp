// sinter-explain: shows the kernels of an expression, without a C++ compiler.
#include <runtime/launch/explain.hpp>
#include <runtime/nvrtc/nvrtc.hpp>
#include <sinter/device.hpp>
#include <sinter/error.hpp>
#include <tools/explain/contract.hpp>
#include <tools/explain/disassemble.hpp>
#include <tools/explain/request.hpp>
#include <tools/explain/serve.hpp>
#include <tools/explain/time.hpp>
#include <tools/explain/traffic.hpp>

#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <sstream>

namespace {

using namespace sinter;

struct wishes {
    std::string expression;
    std::vector<std::string> operands;
    std::string arch, html;
    std::optional<std::string> conditions;
    bool source = false, ptx = false, sass = false, compare = false, time = false;
    int port = -1;
};

void print_kernels(const std::vector<kernel_report>& kernels, const char* title) {
    for (std::size_t i = 0; i < kernels.size(); ++i)
        std::printf("\n%s %zu of %zu\n  computes   %s\n  schedule   %s\n  predicted  %.4f ms for %.3f MB\n\n%s", title,
                    i + 1, kernels.size(), kernels[i].expression.c_str(), kernels[i].schedule.c_str(),
                    kernels[i].predicted_seconds * 1e3, static_cast<double>(kernels[i].bytes) / 1e6,
                    kernels[i].source.c_str());
}

/// Checks the conditions for each GPU in --arch; failures go to the error stream. Returns the exit code.
int check(const wishes& w, const spoken::lowered& lowered) {
    const double least = spoken::compulsory_bytes(lowered);
    int code = 0;
    std::istringstream archs(w.arch.empty() ? "," : w.arch);
    for (std::string arch; std::getline(archs, arch, ',');) {
        const codegen::device_properties m = spoken::properties_for(arch);
        for (const std::string& line : spoken::broken(*w.conditions, spoken::explain(lowered, m), least)) {
            std::fprintf(stderr, "sinter-explain: sm_%d: %s\n", m.arch, line.c_str());
            code = 1;
        }
    }
    return code;
}

/// Returns the exit code.
int run(const wishes& w) {
    if (w.port >= 0) {
        spoken::serve(w.port);
        return 0;
    }
    if (w.expression.empty()) throw error("give an expression, such as 'exp(x)' 'x:f32[1000]', or --serve");
    const spoken::lowered lowered = spoken::read_request(w.expression, w.operands);
    if (w.conditions) return check(w, lowered);
    const codegen::device_properties m = spoken::properties_for(w.arch);
    const ir::program program = lowered.program();
    if (w.source) {
        std::fputs(codegen::source_for(m, program, lowered.arguments()).c_str(), stdout);
        return 0;
    }
    explanation e = spoken::explain(lowered, m);
    e.title = spoken::heading_of(w.expression, w.operands);
    if (w.ptx || w.sass) {
        for (const kernel_report& k : e.kernels) {
            if (k.blocks == 0) {  // a library's, or nothing to launch
                std::fputs(k.source.c_str(), stdout);
                continue;
            }
            const codegen::compiled c = codegen::compile_cuda(k.source, m.arch, {k.compile_flags, ""}, w.ptx);
            std::fputs((w.ptx ? c.image : spoken::disassembled(c.image)).c_str(), stdout);
        }
        return 0;
    }
    if (!w.html.empty())
        e.save(w.html);
    else
        std::fputs(e.text().c_str(), stdout);
    if (w.compare) print_kernels(e.unfused, "unfused kernel");
    if (!w.time) return 0;
    const double fused = spoken::median_seconds(lowered);
    const fusion_scope off(fusion::off);
    const double unfused = spoken::median_seconds(lowered);
    std::printf("\nmeasured   %.4f ms (unfused: %.4f ms) on %s\n", fused * 1e3, unfused * 1e3,
                current_device().description().c_str());
    return 0;
}

/// Flushes the output, because only then a full disk is reported. Returns the exit code.
int finished() {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
    std::fprintf(stderr, "sinter-explain: cannot write the report: %s\n", std::strerror(errno));
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "Explains what an expression becomes: tree, launches, bytes, schedule, CUDA source.\n"
        "  sinter-explain 'sqrt(sum(x*x, axis=2))' 'x:f64[1000,100,1000]'",
        "sinter-explain");
    wishes w;
    app.add_option("expression", w.expression, "The expression, as in C++; pack(a, b) for several results");
    app.add_option("operands", w.operands, "The operands: NAME:DTYPE[EXTENTS] is an array, NAME:DTYPE a C++ number");
    app.add_option(
        "--arch", w.arch,
        "The GPU, sm_75 to sm_120; by default this machine's, or an H200. Several for --assert: sm_80,sm_90");
    app.add_flag("--source", w.source, "Print only the CUDA source");
    app.add_flag("--ptx", w.ptx, "Print only the PTX");
    app.add_flag("--sass", w.sass, "Print only the machine code, by cuobjdump or nvdisasm");
    app.add_flag("--compare", w.compare, "Explain the unfused kernels, too");
    app.add_option("--html", w.html, "Write the report to this file, as a page with pictures, and print nothing");
    app.add_flag("--time", w.time, "Run the kernels on zeros, and report the time");
    app.add_option("--assert", w.conditions,
                   "Check conditions, such as 'launches==1, bytes<=1.05*least'; print those that do not hold, and exit "
                   "with status 1");
    app.add_option("--serve", w.port,
                   "Serve the playground, a page to try expressions on, at this port of 127.0.0.1; 0 takes a free one")
        ->check(CLI::Range(0, 65535));
    try {
        app.parse(argc, argv);
        const int code = run(w);
        const int written = finished();
        return written != 0 ? written : code;
    } catch (const CLI::CallForHelp&) {
        std::fputs(app.help().c_str(), stdout);
        return finished();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "sinter-explain: %s\n", e.what());
        return 2;
    }
}
