// sinter-explain: what an expression becomes, without a C++ compiler.
#include <codegen/schedule/known_machines.hpp>
#include <runtime/launch/explain.hpp>
#include <runtime/nvrtc/nvrtc.hpp>
#include <sinter/device.hpp>
#include <sinter/error.hpp>
#include <tools/explain/disassemble.hpp>
#include <tools/explain/reader.hpp>
#include <tools/explain/time.hpp>

#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

namespace {

using namespace sinter;

struct wishes {
    std::string expression;
    std::vector<std::string> operands;
    std::string arch, html;
    bool source = false, ptx = false, sass = false, compare = false, time = false;
};

int arch_of(const std::string& text) {
    const std::string digits = text.rfind("sm_", 0) == 0 ? text.substr(3) : text;
    if (digits.empty() || digits.size() > 3 || digits.find_first_not_of("0123456789") != std::string::npos)
        throw error("--arch " + text + ": write it as in sm_80");
    return std::stoi(digits);
}

codegen::machine machine_for(const wishes& w) {
    if (!w.arch.empty()) return codegen::machine_of(arch_of(w.arch));
    return current_device().is_host() ? codegen::machine{} : current_device().get().properties();
}

void print_kernels(const std::vector<kernel_report>& kernels, const char* title) {
    for (std::size_t i = 0; i < kernels.size(); ++i)
        std::printf("\n%s %zu of %zu\n  computes   %s\n  schedule   %s\n  predicted  %.4f ms for %.3f MB\n\n%s", title,
                    i + 1, kernels.size(), kernels[i].expression.c_str(), kernels[i].schedule.c_str(),
                    kernels[i].predicted_seconds * 1e3, static_cast<double>(kernels[i].bytes) / 1e6,
                    kernels[i].source.c_str());
}

/// read(), which reads a text; a problem is shown where in the text it is.
template <class F>
auto marked(const std::string& text, F read) {
    try {
        return read();
    } catch (const spoken::problem& p) {
        throw error(spoken::with_marks(text, p));
    }
}

void run(const wishes& w) {
    spoken::operand_table operands;
    for (std::size_t i = 0; i < w.operands.size(); ++i) {
        const std::string& text = w.operands[i];
        if (!operands.insert(marked(text, [&] { return spoken::read_operand(text, i); })).second)
            throw error("the operand '" + text + "' has the name of an earlier one; give it another");
    }
    const auto lowered =
        marked(w.expression, [&] { return spoken::lower(spoken::read_expression(w.expression, operands)); });
    const codegen::machine m = machine_for(w);
    const ir::program program = lowered.program();
    if (w.source) {
        std::fputs(codegen::source_for(m, program, lowered.arguments()).c_str(), stdout);
        return;
    }
    const explanation e = codegen::explain_for(m, program, lowered.arguments());
    if (w.ptx || w.sass) {
        for (const kernel_report& k : e.kernels) {
            if (k.blocks == 0) {  // a library's, or one that nothing is launched for
                std::fputs(k.source.c_str(), stdout);
                continue;
            }
            const codegen::compiled c = codegen::compile_cuda(k.source, m.arch, {k.compile_flags, ""}, w.ptx);
            std::fputs((w.ptx ? c.image : spoken::disassembled(c.image)).c_str(), stdout);
        }
        return;
    }
    if (!w.html.empty())
        e.save(w.html);
    else
        std::fputs(e.text().c_str(), stdout);
    if (w.compare) print_kernels(e.unfused, "unfused kernel");
    if (!w.time) return;
    const double fused = spoken::median_seconds(lowered);
    const fusion_scope off(fusion::off);
    const double unfused = spoken::median_seconds(lowered);
    std::printf("\nmeasured   %.4f ms (unfused: %.4f ms) on %s\n", fused * 1e3, unfused * 1e3,
                current_device().description().c_str());
}

/// Everything has been printed: what was buffered goes out now, and only now a full disk is known. Gives the exit code.
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
    app.add_option("expression", w.expression, "In Sinter's syntax; pack(a, b) for several results")->required();
    app.add_option("operands", w.operands, "NAME:DTYPE[EXTENTS] for arrays, NAME:DTYPE for C++ numbers");
    app.add_option("--arch", w.arch, "sm_75 to sm_120; else this machine's GPU, else an H200");
    app.add_flag("--source", w.source, "The CUDA text alone");
    app.add_flag("--ptx", w.ptx, "The PTX alone");
    app.add_flag("--sass", w.sass, "The machine code alone, by cuobjdump or nvdisasm");
    app.add_flag("--compare", w.compare, "The unfused kernels, too");
    app.add_option("--html", w.html, "Write the report to this file, with pictures and links, and print none");
    app.add_flag("--time", w.time, "Run it, on elements that are zero, and tell the time");
    try {
        app.parse(argc, argv);
        run(w);
        return finished();
    } catch (const CLI::CallForHelp&) {
        std::fputs(app.help().c_str(), stdout);
        return finished();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "sinter-explain: %s\n", e.what());
        return 2;
    }
}
