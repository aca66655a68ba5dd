// The settings of this thread's scopes, or else of the environment.
#include <codegen/support/created_once.hpp>
#include <runtime/system/environment.hpp>
#include <sinter/fast_math.hpp>
#include <sinter/fusion.hpp>
#include <sinter/tune.hpp>

namespace sinter {
namespace {

using choice = detail::scope_choice;

thread_local bool fast = false;
thread_local choice fuses = choice::open;
thread_local choice tunes = choice::open;

choice choice_of(bool on) { return on ? choice::on : choice::off; }

}  // namespace

bool current_fast_math() { return fast; }
fast_math_scope::fast_math_scope(bool on) : set_(fast, on) {}

// The environment is read once: it does not change while a program runs.

fusion current_fusion() {
    if (fuses != choice::open) return fuses == choice::on ? fusion::on : fusion::off;
    static constinit std::atomic<const bool*> otherwise{nullptr};
    return codegen::created_once(otherwise, [] { return new bool(codegen::environment_switch("SINTER_FUSION", true)); })
               ? fusion::on
               : fusion::off;
}
fusion_scope::fusion_scope(fusion mode) : set_(fuses, choice_of(mode == fusion::on)) {}

bool current_tuning() {
    if (tunes != choice::open) return tunes == choice::on;
    static constinit std::atomic<const bool*> otherwise{nullptr};
    return codegen::created_once(otherwise, [] { return new bool(codegen::environment_switch("SINTER_TUNE", false)); });
}
tuning_scope::tuning_scope(bool on) : set_(tunes, choice_of(on)) {}

}  // namespace sinter
