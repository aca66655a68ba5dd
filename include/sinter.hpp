// Sinter fuses the operators of a C++ expression into one CUDA kernel.
//
//     array<double, 3> x = load_npy<double, 3>("x.npy");
//     array<double, 2> r = sqrt(sum(x * x, axis=2));
#pragma once

#include <sinter/along_axis.hpp>
#include <sinter/array.hpp>
#include <sinter/assign.hpp>
#include <sinter/at.hpp>
#include <sinter/create.hpp>
#include <sinter/custom.hpp>
#include <sinter/dtype_info.hpp>
#include <sinter/equality.hpp>
#include <sinter/explain.hpp>
#include <sinter/fast_math.hpp>
#include <sinter/fusion.hpp>
#include <sinter/gather.hpp>
#include <sinter/generate.hpp>
#include <sinter/grad.hpp>
#include <sinter/graph.hpp>
#include <sinter/grids.hpp>
#include <sinter/histogram.hpp>
#include <sinter/host_span.hpp>
#include <sinter/join.hpp>
#include <sinter/launches.hpp>
#include <sinter/let.hpp>
#include <sinter/matmul.hpp>
#include <sinter/mdspan.hpp>
#include <sinter/npy.hpp>
#include <sinter/npz.hpp>
#include <sinter/op/composite/differences.hpp>
#include <sinter/op/composite/kinds.hpp>
#include <sinter/op/define.hpp>
#include <sinter/pack.hpp>
#include <sinter/print.hpp>
#include <sinter/random.hpp>
#include <sinter/raw_kernel.hpp>
#include <sinter/rearrange.hpp>
#include <sinter/reshape.hpp>
#include <sinter/scan.hpp>
#include <sinter/slice.hpp>
#include <sinter/split.hpp>
#include <sinter/tie.hpp>
#include <sinter/transfer.hpp>
#include <sinter/tune.hpp>
#include <sinter/usage.hpp>
#include <sinter/view.hpp>
#include <sinter/warm_up.hpp>
#include <sinter/warning.hpp>
#include <sinter/wrap.hpp>
