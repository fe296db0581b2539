// The hold model on std::priority_queue: take the first event, put it back a random time later.
//
// hold_model INCREMENTS PENDING ROUNDS: INCREMENTS holds int64 ticks. Prints, a line a round, the
// nanoseconds of processor time per hold and the time at which the model stands in the end.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

using Key = std::pair<uint64_t, uint64_t>;  // time; rank and entity
using Queue = std::priority_queue<Key, std::vector<Key>, std::greater<Key>>;

static double seconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(int, char** arguments) {
    std::vector<int64_t> increments;
    std::FILE* file = std::fopen(arguments[1], "rb");
    for (int64_t value; std::fread(&value, sizeof value, 1, file) == 1;)
        increments.push_back(value);
    std::fclose(file);
    const size_t pending = std::atoi(arguments[2]);
    for (int round = std::atoi(arguments[3]); round > 0; --round) {
        Queue queue;
        for (size_t entity = 0; entity < pending; ++entity)
            queue.push({increments[entity], entity});
        const double start = seconds();
        uint64_t now = 0;
        for (int64_t increment : increments) {
            const Key first = queue.top();
            queue.pop();
            now = first.first;
            queue.push({now + increment, first.second});
        }
        std::printf("%.3f %llu\n", 1e9 * (seconds() - start) / increments.size(),
                    static_cast<unsigned long long>(now));
    }
}
