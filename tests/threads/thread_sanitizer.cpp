// ThreadSanitizer's options, and what it must not report.

extern "C" const char* __tsan_default_options() { return "halt_on_error=1:allocator_may_return_null=1:history_size=4"; }

// oneTBB is compiled without ThreadSanitizer, so the order that it makes between threads is not seen. Between the body
// of a loop and its caller runtime/system/race_detector.hpp says it. What is left are oneTBB's own tasks, which its
// headers make in one thread and use in another. Suppressed are therefore reports whose innermost function is of these
// headers, and those from functions of theirs that call atomics but no bodies. A race in a body has an innermost
// function of ours, and is reported.
extern "C" const char* __tsan_default_suppressions() {
    return "race_top:/oneapi/tbb/\n"
           "race_top:^tbb::detail::\n"
           "race_top:^void tbb::detail::\n"
           "race:check_being_stolen\n"
           "race:check_for_demand\n"
           "race:offer_work\n"
           "race:tbb::detail::d1::fold_tree\n"
           "race:tbb::detail::d1::wait_context\n"
           "race:tbb::detail::d1::task_group_context\n";
}
