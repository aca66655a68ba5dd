// .npy files: inspected, loaded as they are and converted, and mapped.
#include <sinter.hpp>
#include <sinter/npy.hpp>
#include <tests/fuzzers/checks.hpp>

#include <algorithm>
#include <cstring>

namespace sinter::test {

void fuzz_npy(bytes input) {
    const memory_file file(input);
    const device_scope on(host());
    try {
        const npy_info info = inspect_npy(file.path());
        const int rank = std::min(static_cast<int>(info.shape.size()), max_rank);
        for (const dtype to : {info.type, dtype::complex128, dtype::float32, dtype::bool_}) try {
                const auto loaded = detail::load_npy(file.path(), to, rank);
                const auto mapped = detail::dense(detail::map_npy(file.path(), to, rank));
                if (loaded->bytes != mapped->bytes ||
                    (loaded->bytes > 0 && std::memcmp(loaded->data, mapped->data, loaded->bytes) != 0))
                    found("what is mapped is not what is loaded");
            } catch (const error& e) {
                check_message(e.what());
            }
    } catch (const error& e) {
        check_message(e.what());
    }
}

}  // namespace sinter::test
