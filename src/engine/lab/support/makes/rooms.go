// A service of rooms with the forms that huma writes: bodies with $schema, and errors as problem details. Its argument is a
// fault that it is to have.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

type room struct {
	Schema string `json:"$schema"`
	ID     string `json:"id"`
	Name   string `json:"name"`
	Seats  int64  `json:"seats"`
	Kind   string `json:"kind"`
}

type draft struct {
	Schema *string `json:"$schema"`
	Name   *string `json:"name"`
	Seats  *int64  `json:"seats"`
	Kind   *string `json:"kind"`
}

var (
	fault  string
	mutex  sync.Mutex
	rooms  []room
	gone   = map[string]bool{}
	number int
)

func send(w http.ResponseWriter, status int, contentType string, body any) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.Encode(body)
}

func refuse(w http.ResponseWriter, status int, detail string) {
	told := status
	if fault == "problem of another status" && status == 422 {
		told = 400
	}
	send(w, status, "application/problem+json", map[string]any{
		"title": http.StatusText(status), "status": told, "detail": detail,
	})
}

func read(w http.ResponseWriter, r *http.Request) (draft, bool) {
	var read draft
	text, _ := io.ReadAll(r.Body)
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		refuse(w, 415, "the body is no JSON")
		return read, false
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if fault != "unknown property" {
		decoder.DisallowUnknownFields()
	}
	if !json.Valid(text) {
		refuse(w, 400, "the body is no JSON")
		return read, false
	}
	err := decoder.Decode(&read)
	isRight := err == nil && read.Name != nil && read.Seats != nil && read.Kind != nil
	if isRight {
		length := utf8.RuneCountInString(*read.Name)
		most := int64(500)
		if fault == "too many seats" {
			most = 5_000
		}
		isRight = length >= 1 && length <= 30 && *read.Seats >= 1 && *read.Seats <= most &&
			(*read.Kind == "meeting" || *read.Kind == "lab")
	}
	if !isRight {
		refuse(w, 422, "validation failed")
	}
	return read, isRight
}

func (d draft) as(id string) room {
	return room{"https://example.com/schemas/Room.json", id, *d.Name, *d.Seats, *d.Kind}
}

func list(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	limit, err := strconv.Atoi(cmp(query.Get("limit"), "20"))
	from, wrong := strconv.Atoi(cmp(query.Get("cursor"), "0"))
	if err != nil || wrong != nil || limit < 1 || limit > 100 || from < 0 {
		refuse(w, 422, "validation failed")
		return
	}
	shown := []room{}
	for _, one := range rooms {
		if !gone[one.ID] || fault == "removed is listed" {
			shown = append(shown, one)
		}
	}
	to := min(len(shown), from+limit)
	body := map[string]any{"$schema": "https://example.com/schemas/Rooms.json", "items": shown[min(from, len(shown)):max(to, min(from, len(shown)))]}
	if to < len(shown) {
		body["next"] = fmt.Sprintf("/rooms?limit=%d&cursor=%d", limit, to)
	}
	send(w, 200, "application/json", body)
}

func cmp(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func main() {
	if len(os.Args) > 1 {
		fault = os.Args[1]
	}
	mux := http.NewServeMux()
	handle := func(pattern string, handler http.HandlerFunc) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			mutex.Lock()
			defer mutex.Unlock()
			handler(w, r)
		})
	}
	found := func(w http.ResponseWriter, r *http.Request) int {
		id := r.PathValue("id")
		at := slices.IndexFunc(rooms, func(one room) bool { return one.ID == id && !gone[id] })
		if at < 0 && fault == "failure for nobody" {
			refuse(w, 500, "index out of range")
		} else if at < 0 {
			refuse(w, 404, "there is no such room")
		}
		return at
	}
	handle("GET /rooms", list)
	handle("POST /rooms", func(w http.ResponseWriter, r *http.Request) {
		if read, isRight := read(w, r); isRight {
			number++
			rooms = append(rooms, read.as(fmt.Sprintf("r%d", number)))
			send(w, 201, "application/json", rooms[len(rooms)-1])
		}
	})
	handle("GET /rooms/{id}", func(w http.ResponseWriter, r *http.Request) {
		if at := found(w, r); at >= 0 {
			send(w, 200, "application/json", rooms[at])
		}
	})
	handle("PUT /rooms/{id}", func(w http.ResponseWriter, r *http.Request) {
		read, isRight := read(w, r)
		if !isRight {
			return
		}
		if at := found(w, r); at >= 0 {
			rooms[at] = read.as(rooms[at].ID)
			send(w, 200, "application/json", rooms[at])
		}
	})
	handle("DELETE /rooms/{id}", func(w http.ResponseWriter, r *http.Request) {
		if at := found(w, r); at >= 0 {
			gone[rooms[at].ID] = true
			w.WriteHeader(204)
		}
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	http.Serve(listener, mux)
}
