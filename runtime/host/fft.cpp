// Fourier transforms on the host: an FFTW plan for one transform, which all cores run on different batches.
//
// FFTW's planner is not thread-safe, its plans are. Plans are not measured: making one takes some microseconds, so only
// a few are cached. https://www.fftw.org/fftw3_doc/Thread-safety.html
#include <runtime/host/fft.hpp>

#include <codegen/functions/fft.hpp>
#include <runtime/host/fftw.hpp>
#include <runtime/system/parallel.hpp>
#include <sinter/error.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace sinter::codegen {
namespace {

/// Alignment of addresses that permits a plan with vector instructions.
constexpr std::uintptr_t fftw_alignment = 64;

struct fft_plan_key {
    fft_form form{};
    int rank = 0;
    std::array<std::int64_t, ir::max_rank> lengths{};
    bool aligned = false;
    bool operator==(const fft_plan_key&) const = default;
};

template <class R>
class fft_plans {
public:
    using plan = std::shared_ptr<fftw_plan_object>;

    plan get(const fft_plan_key& key, const fft_call& f) {
        const std::lock_guard lock(mutex_);
        for (const entry& e : kept_)
            if (e.key == key) return e.made;
        const plan made(make(key, f), fftw_of<R>().destroy);
        if (made == nullptr) throw error("fft: FFTW has no plan for a transform of this shape");
        kept_[next_++ % kept_.size()] = {key, made};
        return made;
    }

private:
    struct entry {
        fft_plan_key key;
        plan made;
    };

    /// An estimated plan does not access the arrays: their addresses only give the alignment, and that there are two.
    static fftw_plan make(const fft_plan_key& key, const fft_call& f) {
        std::array<fftw_dimension, ir::max_rank> sizes{};
        std::ptrdiff_t in = 1, out = 1;
        for (int i = f.rank - 1; i >= 0; --i) {
            const auto n = static_cast<std::ptrdiff_t>(f.lengths[static_cast<std::size_t>(i)]);
            const bool last = i == f.rank - 1;
            sizes[static_cast<std::size_t>(i)] = {n, in, out};
            in *= last && f.form == fft_form::half_to_real ? n / 2 + 1 : n;
            out *= last && f.form == fft_form::real_to_half ? n / 2 + 1 : n;
        }
        alignas(fftw_alignment) static std::complex<R> places[2][fftw_alignment];
        std::complex<R>* const from = places[0];
        std::complex<R>* const to = places[1];
        const fftw<R>& library = fftw_of<R>();
        const unsigned flags = fftw_estimate | (key.aligned ? 0u : unsigned{fftw_unaligned});
        switch (f.form) {
            case fft_form::real_to_half:
                return library.plan_r2c(f.rank, sizes.data(), 0, nullptr, reinterpret_cast<R*>(from), to,
                                        flags | fftw_preserve_input);
            case fft_form::half_to_real:
                return library.plan_c2r(f.rank, sizes.data(), 0, nullptr, from, reinterpret_cast<R*>(to), flags);
            case fft_form::forward:
            case fft_form::backward: break;
        }
        return library.plan_dft(f.rank, sizes.data(), 0, nullptr, from, to, f.backward() ? 1 : -1,
                                flags | fftw_preserve_input);
    }

    std::mutex mutex_;
    std::array<entry, 64> kept_{};
    std::size_t next_ = 0;
};

template <class R>
fft_plans<R>& fft_plans_of() {
    static fft_plans<R>& all = *new fft_plans<R>;  // never destroyed: arrays may outlive every static object
    return all;
}

struct aligned_deleter {
    void operator()(void* p) const { ::operator delete(p, std::align_val_t(fftw_alignment)); }
};

/// A thread's copy of an operand that the transform destroys.
template <class R>
class fft_scratch {
public:
    explicit fft_scratch(std::int64_t elements) : elements_(elements) {
        if (elements > 0)
            memory_.reset(::operator new(static_cast<std::size_t>(elements) * sizeof(std::complex<R>),
                                         std::align_val_t(fftw_alignment)));
    }
    fft_scratch(const fft_scratch& other) : fft_scratch(other.elements_) {}
    std::complex<R>* get() const { return static_cast<std::complex<R>*>(memory_.get()); }

private:
    std::int64_t elements_;
    std::unique_ptr<void, aligned_deleter> memory_;
};

bool is_fftw_aligned(const void* p, std::int64_t bytes) {
    return (reinterpret_cast<std::uintptr_t>(p) | static_cast<std::uintptr_t>(bytes)) % fftw_alignment == 0;
}

template <class R>
void transform_all(const fft_call& f, const char* from, char* to) {
    using complex = std::complex<R>;
    const bool destroys = f.form == fft_form::half_to_real;
    const bool from_real = f.form == fft_form::real_to_half, to_real = destroys;
    const auto real_bytes = static_cast<std::int64_t>(sizeof(R)), complex_bytes = 2 * real_bytes;
    const std::int64_t in_bytes = f.elements_in() * (from_real ? real_bytes : complex_bytes);
    const std::int64_t out_bytes = f.elements_out() * (to_real ? real_bytes : complex_bytes);
    const bool single = f.batches == 1;
    fft_plan_key key{f.form, f.rank, f.lengths, false};
    key.aligned =
        is_fftw_aligned(to, single ? 0 : out_bytes) && (destroys || is_fftw_aligned(from, single ? 0 : in_bytes));
    const auto plan = fft_plans_of<R>().get(key, f);
    const fftw<R>& library = fftw_of<R>();
    fft_scratch<R> own(destroys ? f.elements_in() : 0);
    const auto one = [&](const fft_scratch<R>& copy, std::int64_t i) {
        char* const in = const_cast<char*>(from) + i * in_bytes;
        R* const out = reinterpret_cast<R*>(to + i * out_bytes);
        if (destroys) {
            std::memcpy(static_cast<void*>(copy.get()), in, static_cast<std::size_t>(in_bytes));
            library.execute_c2r(plan.get(), copy.get(), out);
        } else if (from_real) {
            library.execute_r2c(plan.get(), reinterpret_cast<R*>(in), reinterpret_cast<complex*>(out));
        } else {
            library.execute_dft(plan.get(), reinterpret_cast<complex*>(in), reinterpret_cast<complex*>(out));
        }
        if (f.factor == 1) return;
        const R factor = static_cast<R>(f.factor);
        for (std::int64_t e = 0; e < out_bytes / real_bytes; ++e) out[e] *= factor;
    };
    constexpr std::int64_t enough = 1 << 14;  // bytes that are worth a task
    cancellable_loop(
        f.batches, std::max<std::int64_t>(1, enough / std::max<std::int64_t>(1, out_bytes)), own,
        [&](std::optional<fft_scratch<R>>& mine) { mine.emplace(own); },
        [&](fft_scratch<R>& copy, std::int64_t i, std::int64_t end) {
            for (; i < end; ++i) one(copy, i);
        });
}

}  // namespace

void fft_on_host(const call_site& call, const void* const* operands, void* const* results) {
    const fft_call f = fft_of(call);
    const auto* const from = static_cast<const char*>(operands[0]);
    auto* const to = static_cast<char*>(results[0]);
    f.wide ? transform_all<double>(f, from, to) : transform_all<float>(f, from, to);
}

}  // namespace sinter::codegen
