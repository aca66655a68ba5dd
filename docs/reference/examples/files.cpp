// Examples of files and of memory that other libraries share.
#include "show.hpp"

#include <sinter/dlpack.hpp>

using namespace sinter;

int main() {
    SECTION(operands);
    DO(array<float, 2> x = {{1, 2, 3}, {4, 5, 6}});

    SECTION(save_npy, load_npy, map_npy, inspect_npy);
    DO(save_npy("x.npy", x * 2));
    SHOW((load_npy<float, 2>("x.npy")));
    SHOW((map_npy<float, 2>("x.npy")));
    SHOW(inspect_npy("x.npy").shape.size());
    FAILS((load_npy<double, 2>("no.npy")));
    FAILS((load_npy<float, 1>("x.npy")));
    SECTION(save_npz, load_npz, inspect_npz);
    DO(save_npz("x.npz", {{"x", x}, {"total", sum(x)}}, npz_compression::deflated));
    SHOW((load_npz<float, 0>("x.npz", "total")));
    SHOW(inspect_npz("x.npz")[0].name);
    SECTION(to_dlpack, from_dlpack);
    DO(DLManagedTensorVersioned* tensor = to_dlpack(x));
    DO(array<float, 2> shared = from_dlpack<float, 2>(tensor));
    SHOW(shared);
    SECTION(to_dlpack_unversioned);
    SHOW((from_dlpack<float, 2>(to_dlpack_unversioned(x))));
}
