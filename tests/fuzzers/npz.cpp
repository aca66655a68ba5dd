// .npz archives: inspected, and each member loaded.
#include <sinter.hpp>
#include <sinter/npz.hpp>
#include <tests/fuzzers/checks.hpp>

#include <algorithm>

namespace sinter::test {

void fuzz_npz(bytes input) {
    constexpr npz_limits limits{.max_bytes = 16 << 20, .max_entries = 64};
    const memory_file file(input);
    const device_scope on(host());
    try {
        for (const npz_member& m : inspect_npz(file.path(), limits)) try {
                (void)detail::load_npz(file.path(), m.name, m.info.type,
                                       std::min(static_cast<int>(m.info.shape.size()), max_rank), limits);
            } catch (const error& e) {
                check_message(e.what());
            }
    } catch (const error& e) {
        check_message(e.what());
    }
    try {
        (void)detail::load_npz(file.path(), "x", dtype::float64, 1, limits);
    } catch (const error& e) {
        check_message(e.what());
    }
}

}  // namespace sinter::test
