// Maps a transform to one cufftXtExec, and to a scaling kernel if needed, because cuFFT does not scale.
#include <runtime/cuda/cuda_fft.hpp>

#include <codegen/cuda/fft.hpp>
#include <codegen/functions/fft.hpp>
#include <codegen/ir/round.hpp>
#include <runtime/cache/kernels.hpp>
#include <runtime/cuda/cuda_context.hpp>
#include <runtime/cuda/cuda_device.hpp>
#include <runtime/cuda/cuda_fft_library.hpp>
#include <runtime/memory/storage.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <bit>
#include <mutex>

namespace sinter::codegen {
namespace {

constexpr int max_transform_axes = 3;  ///< cuFFT's limit

class cuda_fft final : public library_function {
public:
    cuda_fft(const cufft::library& l, const cuda_context& c, kernel_device& where, const call_site& call)
        : fft_(l), here_(c), where_(where), f_(fft_of(call)), operand_bytes_(call.operands[0].bytes()) {}
    ~cuda_fft() override {
        if (planned_ && here_.cuda.ctx_set_current(here_.context) == CUDA_SUCCESS) fft_.destroy(plan_);
    }
    cuda_fft(const cuda_fft&) = delete;
    cuda_fft& operator=(const cuda_fft&) = delete;

    /// Whether cuFFT can plan the transform.
    bool prepare() {
        here_.enter();
        if (fft_.create(&plan_) != 0) return false;
        planned_ = true;
        const bool from_real = f_.form == fft_form::real_to_half, to_real = f_.form == fft_form::half_to_real;
        const cufft::data_type real = f_.wide ? cufft::r_64f : cufft::r_32f;
        const cufft::data_type complex = f_.wide ? cufft::c_64f : cufft::c_32f;
        long long lengths[max_transform_axes] = {};
        for (int i = 0; i < f_.rank; ++i) lengths[i] = f_.lengths[static_cast<std::size_t>(i)];
        std::size_t bytes = 0;
        if (fft_.set_auto_allocation(plan_, 0) != 0 ||
            fft_.make_plan_many(plan_, f_.rank, lengths, nullptr, 1, 0, from_real ? real : complex, nullptr, 1, 0,
                                to_real ? real : complex, f_.batches, &bytes, complex) != 0)
            return false;
        // complex-to-real transforms overwrite their input
        copied_at_ = round_up(static_cast<std::int64_t>(bytes), std::int64_t{256});
        scratch_bytes_ = copied_at_ + (to_real ? operand_bytes_ : 0);
        if (f_.factor != 1) prepare_scaling();
        return true;
    }

    void run(const void* const* operands, void* const* results) const override {
        here_.enter();
        const std::lock_guard one_at_a_time(mutex_);  // the plan holds the stream and the work area
        detail::storage_ref space;
        if (scratch_bytes_ > 0) space = make_storage_on(where_, dtype::uint8, 1, &scratch_bytes_);
        char* const scratch = scratch_bytes_ > 0 ? static_cast<char*>(space->data) : nullptr;
        void* from = const_cast<void*>(operands[0]);
        if (f_.form == fft_form::half_to_real) {
            from = scratch + copied_at_;
            where_.copy_within(from, operands[0], static_cast<std::size_t>(operand_bytes_));
        }
        const auto stream = static_cast<CUstream>(where_.native_stream(where_.stream_now()));
        cufft::status failed = fft_.set_stream(plan_, stream);
        if (failed == 0 && copied_at_ > 0) failed = fft_.set_work_area(plan_, scratch);
        if (failed == 0) failed = fft_.exec(plan_, from, results[0], f_.backward() ? cufft::inverse : cufft::forward);
        if (failed != 0)
            throw error(
                fmt::format("{}: cuFFT failed with status {}; SINTER_CUFFT=off turns it off", where_.name(), failed));
        if (scaling_ != nullptr) scale(results[0]);
    }

private:
    void prepare_scaling() {
        fft_source s;
        s.real = f_.wide ? dtype::float64 : dtype::float32;
        const std::string name = fft_name(fft_kernel::scale, s);
        scaling_ = &get_kernel(where_, {name, [s, name] {
                                            return printed_kernel{fft_text(fft_kernel::scale, s), name, {}};
                                        }});
    }
    void scale(void* values) const {
        const bool to_real = f_.form == fft_form::half_to_real;
        std::int64_t count = f_.batches * f_.elements_out() * (to_real ? 1 : 2);
        auto bits = std::bit_cast<std::int64_t>(f_.factor);
        void* arguments[] = {&values, &count, &bits};
        where_.launch(scaling_->loaded, divide_up(count, std::int64_t{fft_block}), fft_block, 0, arguments);
    }

    const cufft::library& fft_;
    const cuda_context& here_;
    kernel_device& where_;
    const fft_call f_;
    const std::int64_t operand_bytes_;
    cufft::handle plan_ = 0;
    bool planned_ = false;
    std::int64_t copied_at_ = 0;  ///< offset of the operand's copy, after the work area
    std::int64_t scratch_bytes_ = 0;
    const ready_kernel* scaling_ = nullptr;
    mutable std::mutex mutex_;
};

}  // namespace

std::unique_ptr<const library_function> fft_by_library(device& where, const call_site& call) {
    const cuda_context* const here = cuda_context_of(where);
    const fft_call f = fft_of(call);
    if (here == nullptr || f.rank > max_transform_axes || suits_kernels(f)) return nullptr;
    const cufft::library* const l = cufft::find();
    if (l == nullptr) return nullptr;
    auto made = std::make_unique<cuda_fft>(*l, *here, static_cast<kernel_device&>(where), call);
    if (!made->prepare()) return nullptr;
    return made;
}

}  // namespace sinter::codegen
