// The QR decomposition on the host. LAPACK sees the transpose: A^T = L Q' is A = Q'^T L^T, by the same reflections.
#include <runtime/host/linalg.hpp>
#include <runtime/host/linalg_batches.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

using namespace batched;

template <class T>
struct qr_scratch {
    std::vector<T> matrix, taus, work;
};

template <class T>
void decompose(const call_site& call, const T* a, T* q, T* r) {
    const matrices all = matrices_of(call.operands[0]);
    const lapack<T>& l = lapack_of<T>();
    const std::int64_t kept_rows = call.integers[0] != 0 ? all.rows : all.shorter();
    const int m = extent("qr", all.rows), n = extent("qr", all.columns), kept = static_cast<int>(kept_rows);
    const int steps = static_cast<int>(all.shorter()),
              stride = leading(static_cast<int>(std::max(kept_rows, all.columns)));
    T for_factors{}, for_q{};
    int info = 0;
    const int ask = -1;
    l.gelqf(&n, &m, nullptr, &stride, nullptr, &for_factors, &ask, &info);
    l.unglq(&kept, &m, &steps, nullptr, &stride, nullptr, &for_q, &ask, &info);
    const int work_elements = std::max(work_size(for_factors), work_size(for_q));
    const std::int64_t longest = std::max(kept_rows, all.columns);
    const qr_scratch<T> scratch{std::vector<T>(static_cast<std::size_t>(longest * all.rows)),
                                std::vector<T>(static_cast<std::size_t>(all.shorter())),
                                std::vector<T>(static_cast<std::size_t>(work_elements))};
    for_each_matrix(all.count, all.elements(), scratch, [&](qr_scratch<T>& s, std::int64_t i) {
        // LAPACK's columns have length `longest`, so that Q fits where its reflections are
        T* const w = s.matrix.data();
        for (std::int64_t row = 0; row < all.rows; ++row)
            std::copy_n(a + (i * all.rows + row) * all.columns, all.columns, w + row * longest);
        int failed = 0;
        l.gelqf(&n, &m, w, &stride, s.taus.data(), s.work.data(), &work_elements, &failed);
        if (r != nullptr)
            for (std::int64_t row = 0; row < kept_rows; ++row)
                for (std::int64_t column = 0; column < all.columns; ++column)
                    r[(i * kept_rows + row) * all.columns + column] = row <= column ? w[row * longest + column] : T(0);
        if (q == nullptr) return;
        l.unglq(&kept, &m, &steps, w, &stride, s.taus.data(), s.work.data(), &work_elements, &failed);
        for (std::int64_t row = 0; row < all.rows; ++row)
            std::copy_n(w + row * longest, kept_rows, q + (i * all.rows + row) * kept_rows);
    });
}

}  // namespace

void qr_on_host(const call_site& call, const void* const* operands, void* const* results) {
    for_matrix_type(call.operands[0].type, [&]<class T>() {
        decompose<T>(call, static_cast<const T*>(operands[0]), static_cast<T*>(results[0]),
                     static_cast<T*>(results[1]));
    });
}

}  // namespace sinter::codegen
