// The host's library of Fourier transforms, with the interface of FFTW 3, opened at run time: SINTER_FFTW, else FFTW
// itself, or MKL. https://www.fftw.org/fftw3_doc/Guru-Interface.html
#pragma once

#include <complex>
#include <cstddef>
#include <string>

namespace sinter::codegen {

struct fftw_dimension {
    std::ptrdiff_t n, step_in, step_out;
};
struct fftw_plan_object;
using fftw_plan = fftw_plan_object*;

enum fftw_flags : unsigned { fftw_unaligned = 1u << 1, fftw_preserve_input = 1u << 4, fftw_estimate = 1u << 6 };

/// The functions for parts of type R.
template <class R>
struct fftw {
    using complex = std::complex<R>;
    fftw_plan (*plan_dft)(int rank, const fftw_dimension*, int batches, const fftw_dimension*, complex* in,
                          complex* out, int sign, unsigned flags) = nullptr;
    fftw_plan (*plan_r2c)(int rank, const fftw_dimension*, int batches, const fftw_dimension*, R* in, complex* out,
                          unsigned flags) = nullptr;
    fftw_plan (*plan_c2r)(int rank, const fftw_dimension*, int batches, const fftw_dimension*, complex* in, R* out,
                          unsigned flags) = nullptr;
    void (*execute_dft)(fftw_plan, complex* in, complex* out) = nullptr;
    void (*execute_r2c)(fftw_plan, R* in, complex* out) = nullptr;
    void (*execute_c2r)(fftw_plan, complex* in, R* out) = nullptr;
    void (*destroy)(fftw_plan) = nullptr;
};

/// Throws if there is no library.
template <class R>
const fftw<R>& fftw_of();

/// The library's file; empty if there is none.
const std::string& fftw_name();

}  // namespace sinter::codegen
