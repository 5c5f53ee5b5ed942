// The library from Go, by cgo.
package main

// #cgo LDFLAGS: -lutf8kit
// #include <utf8kit.h>
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

func pointer(b []byte) *C.uint8_t {
	if len(b) == 0 {
		return nil
	}
	return (*C.uint8_t)(unsafe.Pointer(&b[0]))
}

// Repair replaces what is ill-formed by a policy.
func Repair(text []byte, policy C.uint32_t) []byte {
	size := C.size_t(len(text))
	out := make([]byte, C.utf8kit_repaired_len(C.UTF8KIT_UTF_8, policy, pointer(text), size).value)
	done := C.utf8kit_repair(C.UTF8KIT_UTF_8, policy, pointer(text), size, pointer(out), C.size_t(len(out)))
	if done.error.status != C.UTF8KIT_OK {
		panic(fmt.Sprint("status ", done.error.status))
	}
	return out
}

func main() {
	for _, text := range []string{"", "fine", "caf\xE9", "\xE2\x82a\xFF\xFE", "\xED\xA0\x80\xC0\xAF"} {
		b := []byte(text)
		// What Go itself makes of it: a range loop replaces each byte, ToValidUTF8 each run.
		if got, want := string(Repair(b, C.UTF8KIT_REPLACE_BYTE)), string([]rune(text)); got != want {
			panic(fmt.Sprintf("%q: %q, not %q", text, got, want))
		}
		if got, want := string(Repair(b, C.UTF8KIT_REPLACE_RUN)), strings.ToValidUTF8(text, "\uFFFD"); got != want {
			panic(fmt.Sprintf("%q: %q, not %q", text, got, want))
		}
		if got := C.utf8kit_count(C.UTF8KIT_UTF_8, pointer(b), C.size_t(len(b))); got.status != C.UTF8KIT_OK {
			panic(text)
		}
	}
	fmt.Println("Go: as expected")
}
