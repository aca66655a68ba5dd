// Linear systems by cuSOLVER: solutions, inverses, factors and determinants.
#include <runtime/cuda/cuda_solver.hpp>

#include <codegen/ir/round.hpp>
#include <runtime/cuda/cuda_solver_call.hpp>

namespace sinter::codegen {
namespace {

/// LU factors of each matrix's transpose, used for determinants, solutions and inverses.
class factored : public solver_call {
public:
    using solver_call::solver_call;

protected:
    bool prepare_factors() {
        factors_ = reserve_elements(a_.elements());
        pivots_ = reserve(a_.shorter() * 8);
        prepare_inspection(read_part::all, false);
        return reserve_work(solver_.getrf_size, a_.rows, a_.columns, element_, static_cast<const void*>(nullptr),
                            a_.rows, element_);
    }
    void* factors(const places& p) const { return p.scratch + factors_; }
    std::int64_t* pivots(const places& p) const { return reinterpret_cast<std::int64_t*>(p.scratch + pivots_); }
    /// Factors the matrix at factors(), which has the operand's extents.
    void factor(const places& p) const {
        call_with_work("getrf", solver_.getrf, p, a_.rows, a_.columns, element_, factors(p), a_.rows, pivots(p),
                       element_);
    }
    void factor_transpose(const places& p, std::int64_t at) const {
        inspect(p, at);
        copy(factors(p), moved(p.operands[0], at, element_bytes_), a_.elements());
        factor(p);
    }
    void solve(const places& p, cusolver::operation op, std::int64_t sides, void* b) const {
        check("getrs", solver_.getrs(own_->handle, own_->params, op, a_.rows, sides, element_, factors(p), a_.rows,
                                     pivots(p), element_, b, a_.rows, info(p)));
    }

private:
    std::int64_t factors_ = 0, pivots_ = 0;
};

class solving final : public factored {
public:
    solving(device& where, const call_site& call)
        : factored(where, call),
          x_(matrices_of(call.results[0])),
          axes_(batches_of_solve(call.operands[0], call.operands[1])) {
        count_ = x_.count;
    }
    bool prepare() override {
        if (!prepare_factors()) return false;
        if (x_.columns > 1) columns_ = reserve_elements(x_.elements());
        transposes_ = kernel(layout_kernel::transpose);
        return true;
    }

private:
    void one(std::int64_t i, const places& p) const override {
        const solve_places at(axes_, i);
        factor_transpose(p, at.a);
        const void* const b = moved(p.operands[1], at.b, element_bytes_);
        void* const x = moved(p.results[0], i * x_.elements(), element_bytes_);
        if (x_.columns == 1) {
            copy(x, b, x_.elements());
            solve(p, cusolver::op_t, 1, x);
        } else {
            void* const columns = p.scratch + columns_;
            transpose(transposes_, columns, b, x_.rows, x_.columns);
            solve(p, cusolver::op_t, x_.columns, columns);
            transpose(transposes_, x, columns, x_.columns, x_.rows);
        }
        spoil(p, type_, x, x_.elements(), false);
    }

    const matrices x_;
    const batch_axes axes_;
    std::int64_t columns_ = 0;
    const ready_kernel* transposes_ = nullptr;
};

class inverting final : public factored {
public:
    using factored::factored;
    bool prepare() override {
        identity_ = kernel(layout_kernel::identity);
        return prepare_factors();
    }

private:
    void one(std::int64_t i, const places& p) const override {
        factor_transpose(p, i * a_.elements());
        void* const to = moved(p.results[0], i * a_.elements(), element_bytes_);
        launch(identity_, divide_up(a_.elements(), std::int64_t{layout_block}), to, a_.rows);
        solve(p, cusolver::op_n, a_.rows, to);
        spoil(p, type_, to, a_.elements(), false);
    }
    const ready_kernel* identity_ = nullptr;
};

class determinants final : public factored {
public:
    using factored::factored;
    bool prepare() override {
        determinant_ = kernel(layout_kernel::determinant);
        return prepare_factors();
    }

private:
    void one(std::int64_t i, const places& p) const override {
        factor_transpose(p, i * a_.elements());
        launch(determinant_, 1, moved(p.results[0], i, element_bytes_), moved(p.results[1], i, element_bytes_),
               moved(p.results[2], i, real_bytes_), factors(p), pivots(p), a_.rows);
        for (const int r : {0, 1}) spoil(p, type_, moved(p.results[r], i, element_bytes_), 1, false);
        spoil(p, real_of(type_), moved(p.results[2], i, real_bytes_), 1, false);
    }
    const ready_kernel* determinant_ = nullptr;
};

class lu_factors_of_rows final : public factored {
public:
    using factored::factored;
    bool prepare() override {
        transposes_ = kernel(layout_kernel::transpose);
        counts_from_0_ = kernel(layout_kernel::pivots);
        return prepare_factors();
    }

private:
    void one(std::int64_t i, const places& p) const override {
        inspect(p, i * a_.elements());
        transpose(transposes_, factors(p), moved(p.operands[0], i * a_.elements(), element_bytes_), a_.rows,
                  a_.columns);
        factor(p);
        if (void* const packed = moved(p.results[0], i * a_.elements(), element_bytes_)) {
            transpose(transposes_, packed, factors(p), a_.columns, a_.rows);
            spoil(p, type_, packed, a_.elements(), false);
        }
        if (void* const to = moved(p.results[1], i * a_.shorter(), 8))
            launch(counts_from_0_, divide_up(a_.shorter(), std::int64_t{layout_block}), to, pivots(p), a_.shorter());
    }
    const ready_kernel *transposes_ = nullptr, *counts_from_0_ = nullptr;
};

/// cuSOLVER takes 2.4 times as long for a column-major upper triangle as for a lower one (4096 x 4096 float32, one
/// H200). A row-major lower triangle is a column-major upper one, so it is transposed before and after.
class cholesky_factors final : public solver_call {
public:
    using solver_call::solver_call;
    bool prepare() override {
        clears_ = kernel(layout_kernel::triangle);
        transposes_ = kernel(layout_kernel::transpose);
        prepare_inspection(upper() ? read_part::upper : read_part::lower, false);
        if (!upper()) turned_ = reserve_elements(a_.elements());
        return reserve_work(solver_.potrf_size, cusolver::lower_triangle, a_.rows, element_,
                            static_cast<const void*>(nullptr), a_.rows, element_);
    }

private:
    bool upper() const { return call_.integers[0] != 0; }
    void one(std::int64_t i, const places& p) const override {
        const void* const from = moved(p.operands[0], i * a_.elements(), element_bytes_);
        void* const to = moved(p.results[0], i * a_.elements(), element_bytes_);
        void* const columns = upper() ? to : p.scratch + turned_;
        inspect(p, i * a_.elements());
        if (upper())
            copy(columns, from, a_.elements());
        else
            transpose(transposes_, columns, from, a_.rows, a_.rows);
        call_with_work("potrf", solver_.potrf, p, cusolver::lower_triangle, a_.rows, element_, columns, a_.rows,
                       element_);
        if (!upper()) transpose(transposes_, to, columns, a_.rows, a_.rows);
        spoil(p, type_, to, a_.elements(), true);
        launch(clears_, divide_up(a_.elements(), std::int64_t{layout_block}), to, static_cast<const void*>(to), a_.rows,
               a_.rows, a_.rows, std::int64_t{upper()});
    }
    std::int64_t turned_ = 0;
    const ready_kernel *clears_ = nullptr, *transposes_ = nullptr;
};

}  // namespace

std::unique_ptr<const library_function> solve_by_library(device& where, const call_site& call) {
    return prepared<solving>(where, call, solves_by_library(where, call, matrices_of(call.results[0]).count));
}
std::unique_ptr<const library_function> invert_by_library(device& where, const call_site& call) {
    return prepared<inverting>(where, call, solves_by_library(where, call, matrices_of(call.operands[0]).count));
}
std::unique_ptr<const library_function> cholesky_by_library(device& where, const call_site& call) {
    return prepared<cholesky_factors>(where, call, solves_by_library(where, call, matrices_of(call.operands[0]).count));
}
std::unique_ptr<const library_function> lu_by_library(device& where, const call_site& call) {
    return prepared<lu_factors_of_rows>(where, call,
                                        solves_by_library(where, call, matrices_of(call.operands[0]).count));
}
std::unique_ptr<const library_function> det_by_library(device& where, const call_site& call) {
    return prepared<determinants>(where, call, solves_by_library(where, call, matrices_of(call.operands[0]).count));
}

}  // namespace sinter::codegen
