"""A service of tasks with the forms that FastAPI writes. Its argument is a fault that it is to have."""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Lock
from urllib.parse import parse_qsl, unquote, urlsplit

fault = sys.argv[1] if len(sys.argv) > 1 else ""
tasks = {}
numbers = count(1)
lock = Lock()


class Invalid(Exception):
    """Ends a request with 422."""


def whole(text, least, most=2**63 - 1):
    if not re.fullmatch(r"-?[0-9]{1,19}", text) or not least <= int(text) <= most:
        raise Invalid
    return int(text)


def draft_of(sent, known):
    if not isinstance(sent, dict):
        raise Invalid
    draft = {**known, **{name: sent[name] for name in ("title", "done", "effort") if name in sent}}
    title, done, effort = draft.get("title"), draft["done"], draft["effort"]
    is_title = isinstance(title, str) and 1 <= len(title) <= 50
    is_effort = effort is None or (isinstance(effort, int) and not isinstance(effort, bool) and 0 <= effort <= 100)
    if not is_title or not isinstance(done, bool) or not is_effort:
        raise Invalid
    return draft


def listed(query):
    skip = whole(query.get("skip", "0"), 0)
    limit = whole(query.get("limit", "100"), 1, 100)
    done = query.get("done")
    if done is not None and done not in ("true", "false"):
        raise Invalid
    order = query.get("sort_by", "id_asc")
    if order not in ("id_asc", "id_desc", "effort_asc", "effort_desc"):
        raise Invalid
    found = [one for one in tasks.values() if done is None or fault == "filter" or one["done"] == (done == "true")]
    name, way = order.split("_")
    found.sort(key=lambda one: -1 if one[name] is None else one[name], reverse=way == "desc" and fault != "order")
    start = 0 if fault == "skip" else skip
    return found[start : start + limit]


def answer(method, path, query, body):
    if path == "/tasks/" and method == "GET":
        return 200, listed(query)
    if path == "/tasks/" and method == "POST":
        made = {"id": next(numbers), **draft_of(body(), {"done": False, "effort": None})}
        tasks[made["id"]] = made
        return 201, made
    if not re.fullmatch(r"/tasks/[^/]+", path):
        return 404, {"detail": "Not Found"}
    if method not in ("GET", "PATCH", "DELETE"):
        return 405, {"detail": "Method Not Allowed"}
    number = whole(unquote(path.split("/")[2]), 1)
    known = tasks.get(number)
    draft = draft_of(body(), known or {"title": "none", "done": False, "effort": None}) if method == "PATCH" else {}
    if known is None:
        return (204, None) if method == "DELETE" and fault == "removal of nothing" else (404, {"detail": "Not Found"})
    if method == "GET":
        return 200, known
    if method == "DELETE":
        if fault != "removal is forgotten":
            del tasks[number]
        return 204, None
    if fault == "patch takes away":
        draft["effort"] = body().get("effort")
    tasks[number] = {**known, **draft}
    return 200, tasks[number]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # a reply goes out as a whole

    def handle_any(self):
        target = urlsplit(self.path)
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))

        def body():
            try:
                return json.loads(text)
            except ValueError:
                raise Invalid from None

        try:
            with lock:
                status, value = answer(self.command, target.path, dict(parse_qsl(target.query, True)), body)
        except Invalid:
            status, value = 422, {"detail": [{"loc": ["body"], "msg": "No", "type": "value_error"}]}
        self.send_response(status)
        content = b"" if value is None else json.dumps(value).encode()
        if value is not None:
            self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
        self.wfile.flush()

    do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = do_HEAD = do_OPTIONS = handle_any

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
