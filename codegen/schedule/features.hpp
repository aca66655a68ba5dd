// What the threads of a scheduled kernel do, in closed form: the numbers from which its time is predicted. Tests hold
// that they equal what the statements of the lowered program do (codegen/cost/count.hpp).
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <cstdint>
#include <vector>

namespace sinter::codegen {

/// Accesses of single threads to one array, of one width.
struct access_feature {
    bool is_store = false;
    int array = 0;     ///< position in kernel::inputs or kernel::outputs
    int elements = 1;  ///< of one access
    std::int64_t count = 0;
};

struct schedule_features {
    std::int64_t blocks = 0;
    std::vector<access_feature> accesses;   ///< to inputs and outputs
    std::vector<std::int64_t> evaluations;  ///< of each value of the kernel: by how many threads, how often
    std::int64_t workspace_loads = 0, workspace_stores = 0;                    ///< partial results, of single threads
    std::int64_t block_barriers = 0, cluster_barriers = 0, grid_barriers = 0;  ///< of blocks

    void add(bool is_store, int array, int elements, std::int64_t count) {
        if (count > 0) accesses.push_back({is_store, array, elements, count});
    }
    std::int64_t bytes_loaded(const loop_nest& k) const;
    std::int64_t bytes_stored(const loop_nest& k) const;
};

/// Whether a value takes instructions of its own.
inline bool is_computed(const value& v) { return v.what == value_kind::elementwise || v.what == value_kind::cast; }

/// Of kernels without scans. A nested kernel's values outside loop 0 count as if each were needed by all.
schedule_features features_of(const loop_nest& k, const schedule& s);

}  // namespace sinter::codegen
