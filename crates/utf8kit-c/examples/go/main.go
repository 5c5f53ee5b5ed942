// The library from Go, by cgo.
package main

// #cgo LDFLAGS: -lutf8kit
// #include <utf8kit.h>
import "C"

import (
	"fmt"
	"strings"
	"unicode/utf16"
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

// Index converts between the units of a text's positions. It must be freed.
type Index struct {
	index *C.utf8kit_index
	text  []byte
}

// NewIndex makes the index of a text.
func NewIndex(text []byte) *Index {
	index := C.utf8kit_index_new(pointer(text), C.size_t(len(text)), C.UTF8KIT_LINES_UNIVERSAL)
	return &Index{index, text}
}

// Free frees the index.
func (i *Index) Free() { C.utf8kit_index_free(i.index) }

// Position returns the line and the UTF-16 code units before an offset.
func (i *Index) Position(offset int) (line, character int) {
	size := C.size_t(len(i.text))
	at := C.utf8kit_index_lsp_position(i.index, pointer(i.text), size, C.size_t(offset), C.UTF8KIT_UTF_16_UNITS)
	if at.status != C.UTF8KIT_OK {
		panic(fmt.Sprint("status ", at.status))
	}
	return int(at.line), int(at.character)
}

// Edit replaces a part of the text.
func (i *Index) Edit(start, end int, text string) {
	i.text = append(append(append([]byte{}, i.text[:start]...), text...), i.text[end:]...)
	size := C.size_t(len(i.text))
	if status := C.utf8kit_index_edit(i.index, C.size_t(start), C.size_t(end), pointer(i.text), size); status != 0 {
		panic(fmt.Sprint("status ", status))
	}
}

func positions() {
	index := NewIndex([]byte("one\r\n😀 two"))
	defer index.Free()
	index.Edit(0, 3, "uno\nnaïve")
	text := string(index.text)
	for offset := range text {
		line, character := index.Position(offset)
		before := strings.ReplaceAll(text[:offset], "\r\n", "\n")
		start := strings.LastIndex(before, "\n") + 1
		if strings.HasPrefix(text[offset:], "\n") && strings.HasSuffix(text[:offset], "\r") {
			// Within CR LF is the line's end.
			before = before[:len(before)-1]
		}
		want := len(utf16.Encode([]rune(before[start:])))
		if line != strings.Count(before, "\n") || character != want {
			panic(fmt.Sprintf("%d: %d:%d, not %d", offset, line, character, want))
		}
	}
}

// Texts returns text for pieces of bytes, which are cut anywhere, in whole characters as readers see them.
func Texts(pieces [][]byte, policy C.uint32_t) []string {
	stream := C.utf8kit_stream{policy: policy}
	var texts []string
	var held []byte
	for i := 0; i <= len(pieces); i++ {
		var piece []byte
		last := i == len(pieces)
		if !last {
			piece = pieces[i]
		}
		out := make([]byte, 3*(len(piece)+8)) // each byte may become U+FFFD, and up to 7 are pending
		size, room := C.size_t(len(piece)), C.size_t(len(out))
		done := C.utf8kit_stream_push(&stream, pointer(piece), size, C.bool(last), pointer(out), room)
		if done.error.status != C.UTF8KIT_OK {
			panic(fmt.Sprint("status ", done.error.status))
		}
		held = append(held, out[:done.written]...)
		show := len(held)
		if !last {
			show = int(C.utf8kit_settled(pointer(held), C.size_t(len(held))).value)
		}
		texts = append(texts, string(held[:show]))
		held = append([]byte{}, held[show:]...)
	}
	return texts
}

func streams() {
	pieces := [][]byte{[]byte("caf\xC3"), []byte("\xA9 \xF0\x9F\x91\xA9\xE2\x80"), []byte("\x8D\xF0\x9F\x9A\x80\xFF")}
	texts := Texts(pieces, C.UTF8KIT_REPLACE)
	if got, want := fmt.Sprintf("%q", texts), fmt.Sprintf("%q", []string{"ca", "fé ", "👩\u200d🚀", "\uFFFD"}); got != want {
		panic(fmt.Sprintf("%s, not %s", got, want))
	}
}

func main() {
	positions()
	streams()
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
