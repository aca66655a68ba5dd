// explain() and source() on the operands' device: the compiler's explanation plus what is known about this machine.
#include <runtime/launch/explain.hpp>

#include <codegen/explain/explain.hpp>
#include <codegen/explain/words.hpp>
#include <runtime/launch/plan.hpp>
#include <runtime/launch/tune.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/nvrtc/nvrtc.hpp>
#include <sinter/device.hpp>
#include <sinter/fast_math.hpp>
#include <sinter/tune.hpp>

namespace sinter {
namespace codegen {
namespace {

device& device_of(const ir::program& program, const detail::arguments_view& arguments) {
    return program.leaves > 0 ? *arguments.leaves[0]->where : current_device().get();
}

/// The GPU that an explanation is for: the operands', the current one, or the assumed one.
device_properties properties_for(const ir::program& program, const detail::arguments_view& arguments) {
    const device& where = device_of(program, arguments);
    return where.is_host() ? device_properties{} : where.properties();
}

/// The inputs of one explanation.
class inquiry {
public:
    inquiry(const device_properties& m, const ir::program& program, const detail::arguments_view& arguments)
        : where_(device_of(program, arguments)), calls_(where_), bound_{&program, arguments} {
        to_.device = m;
        if (!where_.is_host()) {
            const target here = target_of(where_, calls_);
            to_.library = here.library;
            to_.library_function = here.library_function;
        }
        how_ = {current_fusion(), current_fast_math()};
        from_.library_call = [this](const loop_nest& k, const gemm& product, const std::vector<int>& alignment) {
            return words_for(k, calls_.call_for(product, alignment));
        };
        if (remembers()) {
            how_.choose = [this](const loop_nest& k, const std::vector<int>& alignment) {
                return kept_schedule(k, gpu(), alignment).value_or(choose_schedule(k, to_.device, alignment));
            };
            from_.was_measured = [this](const loop_nest& k, const std::vector<int>& alignment) {
                return kept_schedule(k, gpu(), alignment).has_value();
            };
        }
        if (nvrtc_available())
            from_.usage = [this](const kernel_report& r) {
                const compiled c = compile_cuda(r.source, to_.device.arch, {r.compile_flags, ""});
                return kernel_usage{c.usage.registers, c.usage.spill_bytes, c.usage.shared_bytes,
                                    static_cast<std::int64_t>(c.image.size())};
            };
    }
    inquiry(const inquiry&) = delete;
    inquiry& operator=(const inquiry&) = delete;

    explanation explain() const { return codegen::explain(bound_, to_, how_, from_); }
    std::string source() const { return codegen::source(bound_, to_, how_, from_); }

private:
    kernel_device& gpu() const { return static_cast<kernel_device&>(where_); }

    /// Whether an evaluation would now use results of tuning on this machine.
    bool remembers() const {
        return current_tuning() && !where_.is_host() && to_.device.name == where_.properties().name;
    }

    std::string words_for(const loop_nest& k, const std::shared_ptr<const library_call>& call) const {
        if (remembers())
            if (const auto kept = kept_call(k, call, gpu())) return kept->describe() + was_measured;
        return call->describe();
    }

    device& where_;
    library_calls calls_;
    bindings bound_;
    target to_;
    compile_settings how_;
    explanation_sources from_;
};

}  // namespace

explanation explain_for(const device_properties& m, const ir::program& program,
                        const detail::arguments_view& arguments) {
    return inquiry(m, program, arguments).explain();
}

std::string source_for(const device_properties& m, const ir::program& program,
                       const detail::arguments_view& arguments) {
    return inquiry(m, program, arguments).source();
}

}  // namespace codegen

namespace detail {

explanation explain(const ir::program& program, const arguments_view& arguments) {
    codegen::require_operands(program, arguments);
    return codegen::explain_for(codegen::properties_for(program, arguments), program, arguments);
}

std::string source(const ir::program& program, const arguments_view& arguments) {
    codegen::require_operands(program, arguments);
    return codegen::source_for(codegen::properties_for(program, arguments), program, arguments);
}

}  // namespace detail
}  // namespace sinter
