// The launches of at(x, indices) += values that add in any order: find the magnitude of each place's values, add them
// as integers, add the sums to the elements.
#include <runtime/launch/scatter_sums.hpp>

#include <codegen/ir/round.hpp>
#include <runtime/cache/kernels.hpp>
#include <runtime/launch/elements.hpp>
#include <runtime/launch/named_launch.hpp>
#include <runtime/memory/storage.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen {
namespace {

class sum_launches {
public:
    sum_launches(kernel_device& where, const scatter& s)
        : where_(where), s_(s), v_(values_of(s)), plan_(plan_sums(v_, where.properties())) {
        std::vector<kernel_request> wanted;
        for (const sum_kernel k : kernels()) wanted.push_back(request_for(k));
        make_kernels_ready(where_, wanted);
    }

    void run() {
        detail::storage_ref sums;
        void* totals = s_.to;
        if (!sums_are_elements(v_.type)) {
            sums = zeros(dtype::uint8, places_ * sum_bytes(v_.type));
            totals = sums->data;
        }
        if (has_magnitudes(v_.type)) find_magnitudes();
        add(totals);
        if (!sums_are_elements(v_.type))
            launch(sum_kernel::finish, divide_up(places_, std::int64_t{threads_of(sum_kernel::finish)}), 0, s_.to,
                   totals, table_, places_, plan_.room);
    }

private:
    std::vector<sum_kernel> kernels() const {
        std::vector<sum_kernel> all{adding()};
        if (has_magnitudes(v_.type)) all.push_back(finding());
        if (!sums_are_elements(v_.type)) all.push_back(sum_kernel::finish);
        return all;
    }
    sum_kernel adding() const { return plan_.near_sums ? sum_kernel::add : sum_kernel::far_add; }
    sum_kernel finding() const { return plan_.near_magnitudes ? sum_kernel::magnitudes : sum_kernel::far_magnitudes; }

    void find_magnitudes() {
        magnitudes_ = zeros(dtype::uint8, round_up(places_, std::int64_t{4}));
        table_ = magnitudes_->data;
        const long long sample = plan_.sample;
        for (const long long n : {sample, values_})
            if (n > 0)
                launch(finding(), plan_.magnitude_blocks, plan_.magnitude_bytes, table_, s_.keys, s_.values, n, count_,
                       extent_, inner_, places_);
    }

    void add(void* totals) {
        if (plan_.near_sums)
            return launch(adding(), plan_.add_blocks, plan_.add_bytes, totals, table_, s_.keys, s_.values, values_,
                          count_, extent_, inner_, places_, plan_.room, plan_.parts, static_cast<int>(plan_.share),
                          plan_.copies);
        const long long share = plan_.share;
        for (long long first = 0; first < places_; first += share)
            launch(adding(), plan_.add_blocks, 0, totals, table_, s_.keys, s_.values, values_, count_, extent_, inner_,
                   places_, plan_.room, first, std::min(share, places_ - first));
    }

    detail::storage_ref zeros(dtype type, std::int64_t n) {
        detail::storage_ref made = make_storage_on(where_, type, 1, &n);
        where_.fill_zero(made->data, made->bytes);
        return made;
    }

    kernel_request request_for(sum_kernel which) const {
        const sum_source source{which, v_.type, plan_.layout};
        return {fmt::format("{} {} {}", sum_kernel_name(which), name(v_.type), static_cast<int>(plan_.layout)),
                [source] {
                    return printed_kernel{sum_text(source), sum_kernel_name(source.which), {}};
                }};
    }

    template <class... A>
    void launch(sum_kernel which, std::int64_t blocks, unsigned shared_bytes, A... arguments) {
        void* pointers[] = {&arguments...};
        const auto name = [which] {
            return fmt::format("the kernel {} of at(x, indices) += values", sum_kernel_name(which));
        };
        const ready_kernel& ready = get_kernel(where_, request_for(which));
        named_launch(where_, name,
                     [&] { where_.launch(ready.loaded, blocks, threads_of(which), shared_bytes, pointers); });
    }

    kernel_device& where_;
    const scatter s_;
    const values_at_indices v_;
    const sum_plan plan_;
    const long long values_ = v_.values(), places_ = v_.places(), inner_ = v_.inner;
    const int count_ = static_cast<int>(v_.count), extent_ = static_cast<int>(v_.extent);
    detail::storage_ref magnitudes_;
    void* table_ = nullptr;
};

}  // namespace

values_at_indices values_of(const scatter& s) {
    values_at_indices v{s.type, s.outer, s.extent, s.inner, s.count};
    if (is_complex(s.type)) {
        v.type = real_of(s.type);
        v.inner *= 2;
    }
    return v;
}

void launch_sums(kernel_device& where, const scatter& s) { sum_launches(where, s).run(); }

std::vector<sum_source> sources_of_sums(const values_at_indices& v) {
    const value_layout layout = plan_sums(v, device_properties()).layout;
    std::vector<sum_source> all;
    for (int k = 0; k <= static_cast<int>(sum_kernel::finish); ++k) {
        const auto which = static_cast<sum_kernel>(k);
        if (finds_magnitudes(which) ? has_magnitudes(v.type)
                                    : which != sum_kernel::finish || !sums_are_elements(v.type))
            all.push_back({which, v.type, layout});
    }
    return all;
}

}  // namespace sinter::codegen
