// The search for a LAPACK.
#include <runtime/host/lapack.hpp>

#include <codegen/support/created_once.hpp>
#include <runtime/system/shared_library.hpp>
#include <sinter/error.hpp>

#include <tuple>

namespace sinter::codegen {
namespace {

struct library {
    std::string file;
    std::tuple<lapack<float>, lapack<double>, lapack<std::complex<float>>, lapack<std::complex<double>>> routines;
};

template <class T>
constexpr char letter = real_part_of<T>::is_complex ? (sizeof(T) == 8 ? 'c' : 'z') : (sizeof(T) == 4 ? 's' : 'd');

template <class T>
bool find_routines(void* h, lapack<T>& of) {
    const auto find = [h](const char* complex_name, const char* real_name, auto& routine) {
        const std::string name = letter<T> + std::string(lapack<T>::is_complex ? complex_name : real_name) + "_";
        return find_function(h, name.c_str(), routine);
    };
    return find("getrf", "getrf", of.getrf) && find("getrs", "getrs", of.getrs) && find("getri", "getri", of.getri) &&
           find("potrf", "potrf", of.potrf) && find("gelqf", "gelqf", of.gelqf) && find("unglq", "orglq", of.unglq) &&
           find("heevd", "syevd", of.heevd) && find("gesdd", "gesdd", of.gesdd) && find("geev", "geev", of.geev);
}

std::optional<library> open(const std::string& file) {
    void* const h = open_library(file);
    if (h == nullptr) return std::nullopt;
    library l;
    l.file = file;
    const bool complete = std::apply([h](auto&... of) { return (find_routines(h, of) && ...); }, l.routines);
    return complete ? std::optional(l) : std::nullopt;
}

library search() {
    const std::string wish = environment("SINTER_LAPACK");
    if (wish == "off") return {};
    if (!wish.empty()) return opened_by_name("SINTER_LAPACK", wish, open);
    return first_opened({"libopenblas.so.0", "liblapack.so.3", "libmkl_rt.so.2"}, open).value_or(library{});
}

const library& found_library() {
    static constinit std::atomic<const library*> found{nullptr};
    return created_once(found, [] { return new library(search()); });
}

}  // namespace

template <class T>
const lapack<T>& lapack_of() {
    const library& l = found_library();
    if (l.file.empty())
        throw error(
            "linear algebra on the host needs LAPACK, which was not found: install libopenblas0 or liblapack3, or set "
            "SINTER_LAPACK to its file");
    return std::get<lapack<T>>(l.routines);
}
template const lapack<float>& lapack_of();
template const lapack<double>& lapack_of();
template const lapack<std::complex<float>>& lapack_of();
template const lapack<std::complex<double>>& lapack_of();

const std::string& lapack_name() { return found_library().file; }

}  // namespace sinter::codegen
