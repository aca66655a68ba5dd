// The host's LAPACK, a library that is opened at run time: SINTER_LAPACK, else OpenBLAS, the system's, or MKL.
//
// Its matrices are column-major: it sees a row-major matrix as its transpose.
#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <type_traits>

namespace sinter::codegen {

template <class T>
struct real_part_of {
    using type = T;
    static constexpr bool is_complex = false;
};
template <class R>
struct real_part_of<std::complex<R>> {
    using type = R;
    static constexpr bool is_complex = true;
};

/// Fortran routines of one dtype, without the dtype's letter: https://www.netlib.org/lapack/explore-html. Names for
/// Hermitian and unitary matrices also stand for symmetric and orthogonal ones. The arguments after `info` are the
/// lengths of strings, which gfortran passes after all others.
template <class T>
struct lapack {
    using R = typename real_part_of<T>::type;
    using length = std::size_t;
    static constexpr bool is_complex = real_part_of<T>::is_complex;

    void (*getrf)(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info) = nullptr;
    void (*getrs)(const char* trans, const int* n, const int* sides, const T* a, const int* lda, const int* pivots,
                  T* b, const int* ldb, int* info, length) = nullptr;
    void (*getri)(const int* n, T* a, const int* lda, const int* pivots, T* work, const int* lwork,
                  int* info) = nullptr;
    void (*potrf)(const char* uplo, const int* n, T* a, const int* lda, int* info, length) = nullptr;
    void (*gelqf)(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* lwork,
                  int* info) = nullptr;
    void (*unglq)(const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau, T* work,
                  const int* lwork, int* info) = nullptr;
    using real_heevd = void (*)(const char* jobz, const char* uplo, const int* n, T* a, const int* lda, R* w, T* work,
                                const int* lwork, int* iwork, const int* liwork, int* info, length, length);
    using complex_heevd = void (*)(const char* jobz, const char* uplo, const int* n, T* a, const int* lda, R* w,
                                   T* work, const int* lwork, R* rwork, const int* lrwork, int* iwork,
                                   const int* liwork, int* info, length, length);
    std::conditional_t<is_complex, complex_heevd, real_heevd> heevd = nullptr;
    using real_gesdd = void (*)(const char* jobz, const int* m, const int* n, T* a, const int* lda, R* s, T* u,
                                const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork, int* iwork,
                                int* info, length);
    using complex_gesdd = void (*)(const char* jobz, const int* m, const int* n, T* a, const int* lda, R* s, T* u,
                                   const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork, R* rwork,
                                   int* iwork, int* info, length);
    std::conditional_t<is_complex, complex_gesdd, real_gesdd> gesdd = nullptr;
    using real_geev = void (*)(const char* jobvl, const char* jobvr, const int* n, T* a, const int* lda, R* wr, R* wi,
                               T* vl, const int* ldvl, T* vr, const int* ldvr, T* work, const int* lwork, int* info,
                               length, length);
    using complex_geev = void (*)(const char* jobvl, const char* jobvr, const int* n, T* a, const int* lda, T* w, T* vl,
                                  const int* ldvl, T* vr, const int* ldvr, T* work, const int* lwork, R* rwork,
                                  int* info, length, length);
    std::conditional_t<is_complex, complex_geev, real_geev> geev = nullptr;
};

/// The routines of one of the four dtypes. Throws if there is no LAPACK.
template <class T>
const lapack<T>& lapack_of();

/// The library's file; empty if there is none.
const std::string& lapack_name();

}  // namespace sinter::codegen
