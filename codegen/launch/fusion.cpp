// Which fusion is current.
#include <sinter/error.hpp>
#include <sinter/fusion.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

namespace sinter {
namespace {

thread_local bool is_scoped = false;
thread_local fusion scoped = fusion::on;

/// Decided once: the environment does not change under a running program.
fusion default_fusion() {
    static const fusion chosen = [] {
        const char* wanted = std::getenv("SINTER_FUSION");
        if (!wanted || !*wanted || std::strcmp(wanted, "on") == 0) return fusion::on;
        if (std::strcmp(wanted, "off") == 0) return fusion::off;
        throw error(fmt::format("SINTER_FUSION={}: use on or off", wanted));
    }();
    return chosen;
}

}  // namespace

fusion current_fusion() { return is_scoped ? scoped : default_fusion(); }

fusion_scope::fusion_scope(fusion mode) : before_(scoped), scoped_before_(is_scoped) {
    scoped = mode;
    is_scoped = true;
}

fusion_scope::~fusion_scope() {
    scoped = before_;
    is_scoped = scoped_before_;
}

}  // namespace sinter
