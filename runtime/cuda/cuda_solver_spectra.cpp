// Orthogonal factors, eigenvalues and singular values by cuSOLVER.
#include <codegen/ir/round.hpp>
#include <runtime/cuda/cuda_solver.hpp>
#include <runtime/cuda/cuda_solver_call.hpp>
#include <sinter/error.hpp>

#include <algorithm>
#include <limits>

namespace sinter::codegen {
namespace {

class orthogonal_factors final : public solver_call {
public:
    using solver_call::solver_call;

    bool prepare() override {
        if (a_.rows * std::max(a_.columns, kept()) > std::numeric_limits<int>::max()) return false;  // ungqr takes ints
        transposes_ = kernel(layout_kernel::transpose);
        upper_ = kernel(layout_kernel::triangle);
        factors_ = reserve_elements(a_.rows * std::max(a_.columns, kept()));
        turned_ = reserve_elements(a_.elements());
        taus_ = reserve_elements(a_.shorter());
        prepare_inspection(read_part::all, false);
        if (!reserve_work(solver_.geqrf_size, a_.rows, a_.columns, element_, static_cast<const void*>(nullptr), a_.rows,
                          element_, static_cast<const void*>(nullptr), element_))
            return false;
        const auto n = [](std::int64_t extent) { return static_cast<int>(extent); };
        if (unitary().size(own_->handle, n(a_.rows), n(kept()), n(a_.shorter()), nullptr, n(a_.rows), nullptr,
                           &q_work_elements_) != 0)
            return false;
        q_work_ = reserve_elements(q_work_elements_);
        return true;
    }

private:
    std::int64_t kept() const { return call_.integers[0] != 0 ? a_.rows : a_.shorter(); }
    const cusolver::unitary& unitary() const {
        return solver_.orthogonal[(is_complex(type_) ? 2 : 0) + (real_of(type_) == dtype::float64 ? 1 : 0)];
    }

    void one(std::int64_t i, const places& p) const override {
        void *const factors = p.scratch + factors_, *const taus = p.scratch + taus_;
        inspect(p, i * a_.elements());
        transpose(transposes_, factors, moved(p.operands[0], i * a_.elements(), element_bytes_), a_.rows, a_.columns);
        call_with_work("geqrf", solver_.geqrf, p, a_.rows, a_.columns, element_, factors, a_.rows, element_, taus,
                       element_);
        if (void* const r = moved(p.results[1], i * kept() * a_.columns, element_bytes_)) {
            void* const turned = p.scratch + turned_;
            transpose(transposes_, turned, factors, a_.columns, a_.rows);
            // in a complete decomposition, rows of R below the factors are zero, like all elements below the diagonal
            launch(upper_, divide_up(kept() * a_.columns, std::int64_t{layout_block}), r,
                   static_cast<const void*>(turned), kept(), a_.columns, a_.columns, std::int64_t{1});
            spoil(p, type_, r, kept() * a_.columns, false);
        }
        void* const q = moved(p.results[0], i * a_.rows * kept(), element_bytes_);
        if (q == nullptr) return;
        const auto n = [](std::int64_t extent) { return static_cast<int>(extent); };
        check("ungqr", unitary().make(own_->handle, n(a_.rows), n(kept()), n(a_.shorter()), factors, n(a_.rows), taus,
                                      p.scratch + q_work_, q_work_elements_, info(p)));
        transpose(transposes_, q, factors, kept(), a_.rows);
        spoil(p, type_, q, a_.rows * kept(), false);
    }

    std::int64_t factors_ = 0, turned_ = 0, taus_ = 0, q_work_ = 0;
    int q_work_elements_ = 0;
    const ready_kernel *transposes_ = nullptr, *upper_ = nullptr;
};

/// Hermitian matrices: the library sees their conjugates, and the opposite triangle.
class hermitian_spectra final : public solver_call {
public:
    using solver_call::solver_call;

    bool prepare() override {
        transposes_ = kernel({layout_kernel::transpose, type_, false, is_complex(type_)});
        matrix_ = reserve_elements(a_.elements());
        values_ = reserve(a_.rows * real_bytes_);
        prepare_inspection(call_.integers[0] != 0 ? read_part::upper : read_part::lower, true);
        return reserve_work(solver_.syevd_size, job(), triangle(), a_.rows, element_, static_cast<const void*>(nullptr),
                            a_.rows, real_, static_cast<const void*>(nullptr), element_);
    }

private:
    cusolver::vectors job() const { return call_.wants(1) ? cusolver::with_vectors : cusolver::without_vectors; }
    cusolver::triangle triangle() const {
        return call_.integers[0] != 0 ? cusolver::lower_triangle : cusolver::upper_triangle;
    }
    void one(std::int64_t i, const places& p) const override {
        void* const matrix = p.scratch + matrix_;
        void* const wanted = moved(p.results[0], i * a_.rows, real_bytes_);
        copy(matrix, moved(p.operands[0], i * a_.elements(), element_bytes_), a_.elements());
        call_with_work("syevd", solver_.syevd, p, job(), triangle(), a_.rows, element_, matrix, a_.rows, real_,
                       wanted != nullptr ? wanted : static_cast<void*>(p.scratch + values_), element_);
        void* const to = moved(p.results[1], i * a_.elements(), element_bytes_);
        if (to != nullptr) transpose(transposes_, to, matrix, a_.rows, a_.rows);
        inspect(p, i * a_.elements());
        spoil(p, real_of(type_), wanted, a_.rows, true);
        spoil(p, type_, to, a_.elements(), true);
    }

    std::int64_t matrix_ = 0, values_ = 0;
    const ready_kernel* transposes_ = nullptr;
};

/// a = U S V^H. The library needs at least as many rows as columns. A wide matrix is passed unchanged, which is its
/// transpose V* S U^T, so its factors have the wanted layout. For a tall matrix all are transposed.
class singular_values final : public solver_call {
public:
    using solver_call::solver_call;

    bool prepare() override {
        transposes_ = kernel(layout_kernel::transpose);
        matrix_ = reserve_elements(a_.elements());
        values_ = reserve(a_.shorter() * real_bytes_);
        if (vectors()) {
            left_ = reserve_elements(longer() * kept());
            right_ = reserve_elements(a_.shorter() * a_.shorter());
        }
        prepare_inspection(read_part::all, true);
        const auto none = static_cast<const void*>(nullptr);
        return reserve_work(solver_.gesvd_size, job(), job(), longer(), a_.shorter(), element_, none, longer(), real_,
                            none, element_, none, longer(), element_, none, a_.shorter(), element_);
    }

private:
    bool tall() const { return a_.rows > a_.columns; }
    std::int64_t longer() const { return std::max(a_.rows, a_.columns); }
    std::int64_t kept() const { return call_.integers[0] != 0 ? longer() : a_.shorter(); }
    bool vectors() const { return call_.wants(0) || call_.wants(2); }
    signed char job() const { return static_cast<signed char>(!vectors() ? 'N' : call_.integers[0] != 0 ? 'A' : 'S'); }

    void one(std::int64_t i, const places& p) const override {
        const void* const a = moved(p.operands[0], i * a_.elements(), element_bytes_);
        void* const matrix = p.scratch + matrix_;
        const std::int64_t of_long = longer() * kept(), of_short = a_.shorter() * a_.shorter();
        void* const u = moved(p.results[0], i * (tall() ? of_long : of_short), element_bytes_);
        void* const vh = moved(p.results[2], i * (tall() ? of_short : of_long), element_bytes_);
        void* left = vectors() ? p.scratch + left_ : nullptr;
        void* right = vectors() ? p.scratch + right_ : nullptr;
        if (tall()) {
            transpose(transposes_, matrix, a, a_.rows, a_.columns);
        } else {
            copy(matrix, a, a_.elements());
            if (vh != nullptr) left = vh;
            if (u != nullptr) right = u;
        }
        void* const wanted = moved(p.results[1], i * a_.shorter(), real_bytes_);
        call_with_work("gesvd", solver_.gesvd, p, job(), job(), longer(), a_.shorter(), element_, matrix, longer(),
                       real_, wanted != nullptr ? wanted : static_cast<void*>(p.scratch + values_), element_, left,
                       longer(), element_, right, a_.shorter(), element_);
        if (tall() && u != nullptr) transpose(transposes_, u, left, kept(), longer());
        if (tall() && vh != nullptr) transpose(transposes_, vh, right, a_.shorter(), a_.shorter());
        inspect(p, i * a_.elements());
        spoil(p, real_of(type_), wanted, a_.shorter(), true);
        spoil(p, type_, u, tall() ? of_long : of_short, true);
        spoil(p, type_, vh, tall() ? of_short : of_long, true);
    }

    std::int64_t matrix_ = 0, values_ = 0, left_ = 0, right_ = 0;
    const ready_kernel* transposes_ = nullptr;
};

/// General square matrices, converted to complex first.
class general_spectra final : public solver_call {
public:
    using solver_call::solver_call;

    bool prepare() override {
        if (solver_.geev == nullptr) return false;
        const dtype made = complex_of(type_);
        complex_ = made == dtype::complex64 ? cusolver::c_32f : cusolver::c_64f;
        turns_in_ = kernel({layout_kernel::transpose, made, !is_complex(type_), false});
        turns_back_ = kernel({layout_kernel::transpose, made, false, false});
        matrix_ = reserve(a_.elements() * complex_bytes());
        vectors_ = reserve(a_.elements() * complex_bytes());
        values_ = reserve(a_.rows * complex_bytes());
        prepare_inspection(read_part::all, true);
        const auto none = static_cast<const void*>(nullptr);
        return reserve_work(solver_.geev_size, cusolver::without_vectors, job(), a_.rows, complex_, none, a_.rows,
                            complex_, none, complex_, none, a_.rows, complex_, none, a_.rows, complex_);
    }

private:
    std::int64_t complex_bytes() const { return 2 * real_bytes_; }
    cusolver::vectors job() const { return call_.wants(1) ? cusolver::with_vectors : cusolver::without_vectors; }
    void one(std::int64_t i, const places& p) const override {
        void *const matrix = p.scratch + matrix_, *const right = p.scratch + vectors_;
        void* const wanted = moved(p.results[0], i * a_.rows, complex_bytes());
        transpose(turns_in_, matrix, moved(p.operands[0], i * a_.elements(), element_bytes_), a_.rows, a_.rows);
        call_with_work("geev", solver_.geev, p, cusolver::without_vectors, job(), a_.rows, complex_, matrix, a_.rows,
                       complex_, wanted != nullptr ? wanted : static_cast<void*>(p.scratch + values_), complex_,
                       static_cast<void*>(nullptr), a_.rows, complex_, right, a_.rows, complex_);
        void* const to = moved(p.results[1], i * a_.elements(), complex_bytes());
        if (to != nullptr) transpose(turns_back_, to, right, a_.rows, a_.rows);
        inspect(p, i * a_.elements());
        spoil(p, complex_of(real_of(type_)), wanted, a_.rows, true);
        spoil(p, complex_of(real_of(type_)), to, a_.elements(), true);
    }

    cusolver::data_type complex_{};
    std::int64_t matrix_ = 0, vectors_ = 0, values_ = 0;
    const ready_kernel *turns_in_ = nullptr, *turns_back_ = nullptr;
};

}  // namespace

std::unique_ptr<const library_function> qr_by_library(device& where, const call_site& call) {
    return prepared<orthogonal_factors>(where, call,
                                        solves_by_library(where, call, matrices_of(call.operands[0]).count));
}
std::unique_ptr<const library_function> eigh_by_library(device& where, const call_site& call) {
    return prepared<hermitian_spectra>(where, call,
                                       solves_by_library(where, call, matrices_of(call.operands[0]).count));
}
std::unique_ptr<const library_function> svd_by_library(device& where, const call_site& call) {
    return prepared<singular_values>(where, call, solves_by_library(where, call, matrices_of(call.operands[0]).count));
}
std::unique_ptr<const library_function> eig_by_library(device& where, const call_site& call) {
    return prepared<general_spectra>(where, call, can_solve_by_library(where, call));
}

}  // namespace sinter::codegen
