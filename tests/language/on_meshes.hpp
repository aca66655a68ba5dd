// The fixture of tests about sharded arrays: meshes, random operands, and comparison with whole arrays.
#pragma once

#include <gtest/gtest.h>
#include <runtime/system/process_rank.hpp>
#include <sinter/sharded.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <cmath>
#include <complex>
#include <random>
#include <span>
#include <vector>

namespace sinter::test {

/// Whether a launcher has started this process as one of several.
inline bool is_one_of_several_processes() { return codegen::rank_from_environment().size > 1; }

class on_meshes : public on_devices {
protected:
    /// Meshes of several sizes; of the one size there is where the processes are several.
    static std::vector<mesh> meshes() {
        if (is_one_of_several_processes()) {
            static const auto* const of_all = [] {
                const int rank = codegen::rank_from_environment().rank;
                const device_scope scope(test_device_name() == "cuda" ? cuda(rank % cuda_count()) : current_device());
                return new mesh;
            }();
            return {*of_all};
        }
        static const auto* const some = [] {  // kept: NCCL takes its time to connect GPUs
            auto* const all = new std::vector<mesh>;
            for (const int size : emulated() ? std::vector{3} : std::vector{1, 2, 3, 5}) all->push_back(mesh_of(size));
            return all;
        }();
        return *some;
    }
    static mesh mesh_of(int size) {
        std::vector<device> members;
        for (int i = 0; i < size; ++i)
            members.push_back(test_device_name() == "cuda" ? cuda(i % cuda_count()) : current_device());
        return mesh(members);
    }

    template <class T, int Rank>
    array<T, Rank> random(const shape<Rank>& extents) {
        std::vector<T> values(static_cast<std::size_t>(extents.size()));
        for (T& v : values) v = static_cast<T>(std::uniform_int_distribution(-40, 40)(engine_)) / T(8);
        return from_host(std::span<const T>(values), extents);
    }

    /// Whether an expression of sharded arrays has the values of the same expression of whole ones.
    template <class A, class B>
    static void expect_same(const A& got, const B& want, double tolerance = 1e-5) {
        const auto g = to_host(got);
        const auto w = to_host(want);
        ASSERT_EQ(got.shape(), want.shape());
        ASSERT_EQ(g.size(), w.size());
        for (std::size_t i = 0; i < g.size(); ++i) {
            if constexpr (is_complex(B::type)) {
                ASSERT_LE(std::abs(g[i] - w[i]), tolerance * (1 + std::abs(w[i]))) << i;
            } else {
                const auto x = static_cast<double>(g[i]), y = static_cast<double>(w[i]);
                const bool equal = x == y || (std::isnan(x) && std::isnan(y));
                ASSERT_TRUE(equal || std::abs(x - y) <= tolerance * (1 + std::abs(y))) << i << ": " << x << ", " << y;
            }
        }
    }

private:
    std::mt19937 engine_{17};
};

}  // namespace sinter::test
