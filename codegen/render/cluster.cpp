// What kernels of clusters call.
#include <codegen/render/cluster.hpp>

namespace sinter::codegen {

void write_cluster_functions(writer& w) {
    w.comment("Waits until every thread of the cluster has come here. What it has written before is visible after.");
    w.open("static __device__ __forceinline__ void meet_cluster()");
    w.line("__cluster_barrier_arrive();");
    w.line("__cluster_barrier_wait();");
    w.close();
    w.blank();
    w.comment("What a variable in shared memory is in another block of the cluster.");
    w.line("template <class T>");
    w.open("static __device__ __forceinline__ T in_block(const T& own, const unsigned int block)");
    w.line("return *static_cast<const T*>(__cluster_map_shared_rank(&own, block));");
    w.close();
}

}  // namespace sinter::codegen
