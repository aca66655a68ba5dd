// Times the variants of a kernel's schedule, and the algorithms of a library.
#include <runtime/cache/disk.hpp>
#include <runtime/launch/launch_step.hpp>
#include <runtime/launch/tune.hpp>
#include <sinter/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace sinter::codegen {
namespace {

constexpr double batch_seconds = 200e-6;  ///< far above the resolution of the device's clock
constexpr int max_launches = 50;
constexpr int batches = 3;  ///< the minimum counts: disturbances only lengthen a measurement

using library_variants = std::vector<std::shared_ptr<const library_call>>;

/// Memory that is freed after the measurement.
class scratch_memory {
public:
    explicit scratch_memory(kernel_device& where) : where_(where) {}
    ~scratch_memory() {
        for (const auto& [p, bytes] : held_) where_.deallocate(p, bytes);
    }
    scratch_memory(const scratch_memory&) = delete;
    scratch_memory& operator=(const scratch_memory&) = delete;

    void* zeros(std::size_t bytes) {
        void* p = where_.allocate(bytes);
        held_.emplace_back(p, bytes);
        where_.fill_zero(p, bytes);
        return p;
    }

private:
    kernel_device& where_;
    std::vector<std::pair<void*, std::size_t>> held_;
};

/// Whether the kernel gathers from the output of an earlier kernel, whose contents are not known yet.
bool reads_unknown_places(const loop_nest& k, int leaves) {
    return std::any_of(k.values.begin(), k.values.end(), [&](const value& v) {
        return v.what == value_kind::load && v.in[0] >= 0 && k.inputs[static_cast<std::size_t>(v.input)].leaf >= leaves;
    });
}

class contest {
public:
    contest(const loop_nest& k, const evaluation& e, kernel_device& where)
        : k_(k), e_(e), where_(where), memory_(where) {
        for (const kernel_store& store : k.stores) {
            outputs_.resize(std::max(outputs_.size(), static_cast<std::size_t>(store.output) + 1));
            outputs_[static_cast<std::size_t>(store.output)] =
                zeros(reach_of(k, store.at), k.outputs[static_cast<std::size_t>(store.output)]);
        }
        for (std::size_t i = 0; i < k.inputs.size(); ++i) inputs_.push_back(input(static_cast<int>(i)));
    }

    /// Compiles all variants concurrently.
    void make_ready(const std::vector<schedule>& variants) {
        std::vector<kernel_request> wanted;
        for (const schedule& s : variants) wanted.push_back(request_for(k_, s));
        make_kernels_ready(where_, wanted);
    }
    void make_ready(const library_variants&) {}

    double seconds(const schedule& s) {
        plan_step step;
        step.body = k_;
        take_schedule(step, s, where_);
        return seconds(step);
    }

    /// An algorithm that fails to run loses.
    double seconds(const std::shared_ptr<const library_call>& call) try {
        plan_step step;
        step.body = k_;
        step.product = as_gemm(k_).value();
        step.library = call;
        return seconds(step);
    } catch (const error&) {
        return std::numeric_limits<double>::infinity();
    }

private:
    double seconds(const plan_step& step) {
        run(step, 1);  // loads the kernel
        const int launches = static_cast<int>(
            std::clamp(batch_seconds / std::max(run(step, 1), 1e-6), 1.0, static_cast<double>(max_launches)));
        double least = run(step, launches);
        for (int b = 1; b < batches; ++b) least = std::min(least, run(step, launches));
        return least / launches;
    }

    /// Zeroed memory for all indices that a layout reaches, as the address of index 0.
    void* zeros(const layout_reach& r, dtype type) {
        const std::size_t size = size_of(type);
        return static_cast<char*>(memory_.zeros(static_cast<std::size_t>(r.elements()) * size)) +
               r.below * static_cast<std::int64_t>(size);
    }

    void* input(int i) {
        const kernel_input& in = k_.inputs[static_cast<std::size_t>(i)];
        if (in.leaf < e_.program->leaves)
            return static_cast<char*>(e_.arguments.leaves[in.leaf]->data) +
                   in.offset * static_cast<std::int64_t>(size_of(in.type));
        layout_reach all;
        for (const value& v : k_.values) {
            if (v.what != value_kind::load || v.input != i) continue;
            const layout_reach r = reach_of(k_, v.at);
            all = {std::max(all.below, r.below), std::max(all.above, r.above)};
        }
        return zeros(all, in.type);
    }

    double run(const plan_step& step, int launches) {
        const auto input = [&](const kernel_input& in) {
            return inputs_[static_cast<std::size_t>(&in - step.body.inputs.data())];
        };
        const std::unique_ptr<time_mark> from(where_.mark());
        for (int i = 0; i < launches; ++i) {
            if (step.library)
                call_library(step, input, e_.arguments.scalars, outputs_.data(), where_);
            else
                launch_step(step, input, e_.arguments.scalars, outputs_.data(), where_);
        }
        const std::unique_ptr<time_mark> to(where_.mark());
        return where_.seconds_between(*from, *to);
    }

    const loop_nest& k_;
    const evaluation& e_;
    kernel_device& where_;
    scratch_memory memory_;
    std::vector<void*> inputs_, outputs_;
};

/// The properties of the device and of the operands that decide which variant is fastest.
std::string key_of(const std::string& what, const loop_nest& k, kernel_device& where) {
    std::string key = "the fastest " + what + '\n' + where.properties().name + '\n' + where.toolchain();
    const auto append = [&](std::int64_t n) { key += '\n' + std::to_string(n); };
    for (const std::int64_t extent : k.extents) append(extent);
    for (const layout& l : k.layouts)
        for (std::size_t a = 0; a < k.extents.size(); ++a) append(l.stride[a]);
    return key;
}

std::string key_of(const loop_nest& k, const std::vector<schedule>& variants, kernel_device& where) {
    std::string key = key_of("schedule", k, where);
    for (const schedule& s : variants) key += '\n' + describe(s) + '\n' + class_key(k, s);
    return key;
}

std::string key_of(const loop_nest& k, const library_variants& variants, kernel_device& where) {
    std::string key = key_of("algorithm", k, where);
    for (const auto& call : variants) key += '\n' + call->algorithm_text();
    return key;
}

library_variants variants_of(std::shared_ptr<const library_call> call) {
    library_variants all = call->others();
    all.insert(all.begin(), std::move(call));
    return all;
}

template <class Variant>
const Variant* kept_for(const std::string& key, const std::vector<Variant>& variants) {
    if (const std::optional<std::string> kept = default_disk_cache().read(key))
        if (const std::size_t best = std::strtoul(kept->c_str(), nullptr, 10); best < variants.size())
            return &variants[best];
    return nullptr;
}

/// The fastest variant, from an earlier measurement or measured now.
template <class Variant>
Variant fastest(const loop_nest& k, const std::vector<Variant>& variants, const evaluation& e, kernel_device& where) {
    const std::string key = key_of(k, variants, where);
    if (const Variant* const kept = kept_for(key, variants)) return *kept;
    contest c(k, e, where);
    c.make_ready(variants);
    std::vector<double> seconds;
    for (const Variant& v : variants) seconds.push_back(c.seconds(v));
    const auto best = std::min_element(seconds.begin(), seconds.end()) - seconds.begin();
    default_disk_cache().write(key, std::to_string(best));
    return variants[static_cast<std::size_t>(best)];
}

}  // namespace

std::optional<schedule> kept_schedule(const loop_nest& k, kernel_device& where, const std::vector<int>& alignment) {
    const std::vector<schedule> variants = schedule_variants(k, where.properties(), alignment);
    if (variants.size() == 1) return std::nullopt;
    const schedule* const kept = kept_for(key_of(k, variants, where), variants);
    return kept ? std::optional(*kept) : std::nullopt;
}

schedule tuned_schedule(const loop_nest& k, const evaluation& e, kernel_device& where,
                        const std::vector<int>& alignment) {
    const std::vector<schedule> variants = schedule_variants(k, where.properties(), alignment);
    if (variants.size() == 1 || where.recording() || reads_unknown_places(k, e.program->leaves)) return variants[0];
    return fastest(k, variants, e, where);
}

std::shared_ptr<const library_call> kept_call(const loop_nest& k, std::shared_ptr<const library_call> call,
                                              kernel_device& where) {
    const library_variants variants = variants_of(std::move(call));
    const auto* const kept = variants.size() == 1 ? nullptr : kept_for(key_of(k, variants, where), variants);
    return kept ? *kept : nullptr;
}

std::shared_ptr<const library_call> tuned_call(const plan_step& step, const evaluation& e, kernel_device& where) {
    if (where.recording()) return step.library;
    const library_variants variants = variants_of(step.library);
    return variants.size() == 1 ? step.library : fastest(step.body, variants, e, where);
}

}  // namespace sinter::codegen
