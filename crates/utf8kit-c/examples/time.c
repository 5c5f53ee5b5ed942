/* Nanoseconds that utf8kit_is_valid takes for short texts of ASCII, the call through the shared library included. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <utf8kit.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(void)
{
    uint8_t text[64];
    memset(text, 'a', sizeof text);
    for (size_t len = 8; len <= 64; len *= 2) {
        double best = 1e9;
        for (int round = 0; round < 20; round++) {
            const int calls = 1000000;
            int valid = 0;
            double start = now();
            for (int i = 0; i < calls; i++) {
                __asm__ volatile("" : : "r"(text) : "memory");
                valid += utf8kit_is_valid(text, len);
            }
            double took = (now() - start) / calls;
            if (valid == calls && took < best)
                best = took;
        }
        printf("%2zu bytes: %.2f ns\n", len, best);
    }
    return 0;
}
